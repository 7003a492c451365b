"""Dock doors, inbound orders and receiving, in the notation of `catalogue.grammar`."""

KINDS = """
WMSDockDoor = {*_id text, *dockDoorId text, *warehouseId text, *doorNumber text, *doorType DoorType,
  *status DoorState, *worldRef LooseReference, *createdAt moment, *updatedAt moment, zoneId text?,
  capabilities {maxTrailerLength number?, maxTrailerHeight number?, levelingDock flag,
  hydraulicLeveler flag, restraintSystem flag, weatherSeal flag}, equipment DoorEquipment,
  currentAppointment {appointmentId text, carrier text, trailerNumber text, startTime moment,
  expectedEndTime moment}?, currentTrailer {trailerId text, trailerNumber text, sealNumbers [text],
  arrivalTime moment}?, operatingHours OpeningHours, safety {emergencyStop flag, safetyLights flag,
  lastSafetyInspection moment?, nextSafetyInspection moment?}, maintenance {lastMaintenance moment?,
  nextMaintenance moment?, maintenanceNotes text?}, customFields object}
WMSInboundOrder = {*_id text, *inboundOrderId text, *warehouseId text, *orderStatus InboundState,
  *lines [{lineNumber number, productId text, sku text, productName text, expectedQuantity number,
  receivedQuantity number, uom text, lotNumber text?, expirationDate moment?,
  lineStatus CLOSED|EXPECTED|RECEIVED|RECEIVING}], *worldRef LooseReference, *createdAt moment,
  *updatedAt moment, poNumber text?, asnNumber text?, vendor Vendor?, orderType InboundType, dates
  {expectedArrival moment, actualArrival moment?, receivingStarted moment?, receivingCompleted moment?}?,
  appointmentId text?, totals {pallets number, cases number, units number, expectedLines number,
  receivedLines number}?, receivingNotes text?, damageReport text?, customFields object}
WMSReceivingTransaction = {*_id text, *receivingId text, *warehouseId text, *inboundOrderId text,
  *productId text, *receivedQuantity number, *receivingStatus ReceivingState, *worldRef WorldReference,
  *createdAt moment, *updatedAt moment, inboundLineId text?, sku text?, productName text?,
  licensePlateNumber text?, lotNumber text?, uom text?, dockDoorId text?, quality {status FAIL|PASS|PENDING,
  inspectedBy text?, notes text?}?, damage {hasDamage flag, description text?, quantity number?,
  reportedBy text?}?, putaway {assignedLocation text?, assignedBy text?, notes text?}?, items [{sku text,
  productName text, expectedQuantity number, receivedQuantity number, unitOfMeasure text, lotNumber text?,
  serialNumbers [text], condition text?, location {binId text?, zoneId text?}?}], customFields object,
  statusUpdatedAt moment?}
DoorEquipment = {forkliftAccess flag, conveyorSystem flag, scales flag, lightSystem flag}
DoorState = AVAILABLE|CLOSED|MAINTENANCE|OCCUPIED
DoorType = CROSS_DOCK|INBOUND|OUTBOUND
InboundState = CANCELLED|CLOSED|EXPECTED|IN_TRANSIT|RECEIVED|RECEIVING
InboundType = PO|RETURN|SAMPLE|TRANSFER
ReceivingState = COMPLETED|PUTAWAY_PENDING|QC_HOLD|RECEIVED|REJECTED
Vendor = {vendorId text, vendorName text, contactEmail text, contactPhone text}
"""

OPERATIONS = """
POST wms/dock-doors 201 item WMSDockDoor ! 400 409
  < {*warehouseId text, *doorNumber text, *doorType DoorType, zoneId text, capabilities
    {maxTrailerLength number, maxTrailerHeight number, levelingDock flag, hydraulicLeveler flag,
    restraintSystem flag, weatherSeal flag}, equipment DoorEquipment, operatingHours OpeningHours}
GET wms/dock-doors/available 200 list WMSDockDoor ! 400
  ? {*warehouseId text, *doorType DoorType, zoneId text, maxTrailerLength number, levelingDock flag,
    restraintSystem flag, startTime moment, endTime moment}
GET wms/dock-doors/schedule 200 list {appointmentId text, carrierName text, trailerNumber text,
    scheduledArrival moment, appointmentType text, status text} ! 400
  ? {*dockDoorId text, *from moment, *to moment}
GET wms/dock-doors/utilization 200 item {totalDoors number, availableDoors number, occupiedDoors number,
    maintenanceDoors number, utilizationPercentage number, utilizationByType [{doorType DoorType,
    totalDoors number, occupiedDoors number, utilizationPercentage number}]} ! 400
  ? {*warehouseId text, doorType [DoorType], dateStart moment, dateEnd moment}
GET wms/dock-doors/warehouse/{warehouseId} 200 items WMSDockDoor ! 400
  ? {doorType [DoorType], status [DoorState], zoneId text}
GET wms/dock-doors/{doorId} 200 item WMSDockDoor ! 400 404
PUT wms/dock-doors/{doorId}/assign 200 item WMSDockDoor ! 400 422
  < {*appointmentId text, *carrier text, *trailerNumber text, *startTime moment, *expectedEndTime moment}
PUT wms/dock-doors/{doorId}/clear 200 item WMSDockDoor ! 400
  < {completionNotes text}
PUT wms/dock-doors/{doorId}/status 200 item WMSDockDoor ! 400 404
  < {*status DoorState, reason text}
POST wms/inbound-orders 201 item WMSInboundOrder ! 400 409
  < {*warehouseId text, *lines [{*productId text, *expectedQuantity number, lineNumber number, sku text,
    productName text, uom text, lotNumber text, expirationDate moment}], poNumber text, asnNumber text,
    vendor Vendor, orderType InboundType, dates {expectedArrival moment, actualArrival moment},
    appointmentId text, totals {pallets number, cases number, units number, expectedLines number},
    receivingNotes text}
GET wms/inbound-orders/expected-today 200 list WMSInboundOrder ! 400
  ? {*warehouseId text, targetDate moment}
GET wms/inbound-orders/metrics 200 item {totalOrders number, completedOrders number,
    averageReceivingTime number, onTimeReceipts number, lateReceipts number, receivingAccuracy number,
    ordersByStatus [{status text, count number}], topVendors [{vendorId text, vendorName text,
    orderCount number, totalLines number, onTimePercentage number}]} ! 400
  ? {warehouseId text, dateStart moment, dateEnd moment, vendorId text}
GET wms/inbound-orders/po/{poNumber} 200 item WMSInboundOrder ! 400 404
GET wms/inbound-orders/status 200 list WMSInboundOrder ! 400
  ? {*status [InboundState], warehouseId text, vendorId text, dateStart moment, dateEnd moment,
    priority [Priority]}
GET wms/inbound-orders/vendor/{vendorId} 200 list WMSInboundOrder ! 400
  ? {warehouseId text, status [InboundState], dateStart moment, dateEnd moment}
GET wms/inbound-orders/{inboundOrderId} 200 item WMSInboundOrder ! 400 404
PATCH wms/inbound-orders/{inboundOrderId} 200 item WMSInboundOrder ! 400 404
  < {orderStatus InboundState, priority OrderPriority, dates {expectedArrival moment},
    dates.expectedArrival moment}
PUT wms/inbound-orders/{inboundOrderId}/receiving-progress 200 item WMSInboundOrder ! 400 404
  < {*lineNumber number, *receivedQuantity number, lotNumber text, expirationDate moment}
GET wms/inbound-orders/{inboundOrderId}/relations 200 item DocumentRelations ! 400 404
PUT wms/inbound-orders/{inboundOrderId}/status 200 item WMSInboundOrder ! 400 404
  < {*status InboundState, statusDate moment}
GET wms/receiving-transactions 200 items WMSReceivingTransaction ! 400
  ? {warehouseId text, inboundOrderId text, status [ReceivingState], userId text, dateStart moment,
    dateEnd moment, cursor text, limit count}
POST wms/receiving-transactions 201 item WMSReceivingTransaction ! 400
  < {*warehouseId text, *inboundOrderId text, *productId text, *receivedQuantity number, inboundLineId text,
    sku text, productName text, licensePlateNumber text, lotNumber text, uom text, dockDoorId text,
    receivingStatus ReceivingState, quality {status FAIL|PASS|PENDING, inspectedBy text, notes text}, damage
    {hasDamage flag, description text, quantity number, reportedBy text}, putaway {assignedLocation text,
    assignedBy text, notes text}, customFields object}
GET wms/receiving-transactions/metrics 200 item {totalTransactions integer, completedTransactions integer,
    pendingTransactions integer, discrepancies integer, totalItemsReceived integer,
    totalItemsExpected integer, receivingAccuracy number, averageProcessingTime number,
    userPerformance [{userId text, transactionCount integer, accuracy number,
    averageProcessingTime number}], dailyVolume [{date day, transactionCount integer, itemsReceived integer,
    accuracy number}]} ! 400
  ? {warehouseId text, userId text, dateStart moment, dateEnd moment}
GET wms/receiving-transactions/{transactionId} 200 item WMSReceivingTransaction ! 404
POST wms/receiving-transactions/{transactionId}/items 200 item WMSReceivingTransaction ! 400 404
  < {*sku text, *productName text, *expectedQuantity number, *receivedQuantity number, *unitOfMeasure text,
    lotNumber text, serialNumbers [text], condition text, location {binId text, zoneId text}}
PUT wms/receiving-transactions/{transactionId}/status 200 item WMSReceivingTransaction ! 400 404
  < {*status ReceivingState, notes text}
"""
