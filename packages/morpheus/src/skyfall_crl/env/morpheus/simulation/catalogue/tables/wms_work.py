"""Warehouse tasks, daily metrics and dashboard, in the notation of `catalogue.grammar`."""

KINDS = """
WMSDailyMetrics = {*_id text, *metricId text, *warehouseId text, *date day, *worldRef LooseReference,
  *createdAt moment, *updatedAt moment, id text, shift text, zoneId text, inbound InboundMetrics,
  putaway PutawayMetrics, picking PickingMetrics, packing PackingMetrics, shipping ShippingMetrics,
  labor LaborMetrics, inventory StockMetrics, quality QualityMetrics, customFields object}
WMSTask = {*_id text, *taskId text, *warehouseId text, *taskType TaskType, *worldRef WorldReference,
  *createdAt moment, *updatedAt moment, *priority number = 50, *taskStatus TaskState = CREATED,
  taskSubtype TaskSubtype, reference TaskReference?, product TaskProduct?, from BinReference?,
  to BinReference?, lotNumber text?, licensePlateNumber text?, quantity {requested number, actual number?,
  uom text}?, assignment {userId text, userName text, equipmentId text?, assignedAt moment?}?, zoneId text?,
  timing TaskTiming?, completedBy text?, details [{detailId text, productId text, sku text, binId text,
  lotNumber text?, quantity number, pickedQuantity number?, uom text, sequenceNumber number?,
  detailStatus COMPLETED|IN_PROGRESS|PENDING|SHORT|SKIPPED}], scans [{scanType ScanType, scannedValue text,
  expectedValue text, scanResult ScanResult, scannedAt moment}], performance {unitsPerHour number?,
  accuracy number?}?, notes text?, customFields object?}
BinReference = {binId text, binCode text, zoneId text}
InboundMetrics = {poReceived number, linesReceived number, unitsReceived number, palletsReceived number,
  receivingHours number, unitsPerHour number}
LaborMetrics = {totalWorkers number, totalHours number, productiveHours number, indirectHours number,
  utilizationPercent number}
PackingMetrics = {ordersPacked number, packagesPacked number, packingHours number, ordersPerHour number}
PickingMetrics = {ordersShipped number, linesPicked number, unitsPicked number, pickingHours number,
  linesPerHour number, unitsPerHour number, pickAccuracy number}
PutawayMetrics = {putawayTasks number, palletsPutaway number, putawayHours number, palletsPerHour number}
QualityMetrics = {pickErrors number, packErrors number, damageReports number, returnsProcessed number}
ScanResult = MATCH|MISMATCH|OVERRIDE
ScanType = BIN|DESTINATION|LPN|PRODUCT
ShippingMetrics = {shipmentsCreated number, carriersDispatched number, packagesShipped number}
StockMetrics = {onHandUnits number, inventoryValue number, turnoverRate number}
TaskProduct = {productId text, sku text, productName text}
TaskReference = {type INBOUND|ORDER|PO|REPLENISHMENT|WAVE, id text}
TaskState = ASSIGNED|CANCELLED|COMPLETED|CREATED|IN_PROGRESS|RELEASED|SUSPENDED
TaskSubtype = BATCH|CLUSTER|DISCRETE|ZONE
TaskTiming = {createdAt moment?, releasedAt moment?, assignedAt moment?, startedAt moment?,
  completedAt moment?, estimatedDuration number?, actualDuration number?}
TaskType = CYCLE_COUNT|LOAD|MOVE|PACK|PICK|PUTAWAY|REPLENISHMENT|SORT|UNLOAD
"""

OPERATIONS = """
POST wms/daily-metrics 201 item WMSDailyMetrics ! 400 409
  < {*warehouseId text, *date day, shift text, zoneId text, inbound InboundMetrics, putaway PutawayMetrics,
    picking PickingMetrics, packing PackingMetrics, shipping ShippingMetrics, labor LaborMetrics,
    inventory StockMetrics, quality QualityMetrics, customFields object}
GET wms/daily-metrics/summary 200 item {totalDays number, averageMetrics {inbound {avgPoReceived number,
    avgUnitsReceived number, avgUnitsPerHour number}, picking {avgOrdersShipped number,
    avgLinesPicked number, avgLinesPerHour number, avgPickAccuracy number}, packing {avgOrdersPacked number,
    avgPackingHours number, avgOrdersPerHour number}, inventory {avgAccuracy number, avgTurnover number}},
    trends [{date text, unitsReceived number, unitsShipped number, pickAccuracy number}]}
  ? {warehouseId text, dateStart day, dateEnd day, zoneId text}
GET wms/daily-metrics/{metricsId} 200 item WMSDailyMetrics ! 404
PUT wms/daily-metrics/{metricsId} 200 item WMSDailyMetrics ! 400 404
  < {inbound InboundMetrics, picking {pickAccuracy number, ordersShipped number}, quality
    {pickErrors number, damageReports number}, customFields object}
GET wms/operations-dashboard 200 item {inventory {totalItems integer, byStatus object,
    lowStockAlerts integer, expiringAlerts integer}, receiving {total integer, pending integer,
    expected integer, inTransit integer, receiving integer, received integer, dueToday integer}, fulfillment
    {total integer, active integer, created integer, released integer, allocated integer, picking integer,
    picked integer, packing integer, packed integer, shipped integer, rushOrders integer}, tasks
    {total integer, pending integer, inProgress integer, completedToday integer, byType object}} ! 400
GET wms/tasks 200 list WMSTask
  ? {taskIds [text], taskTypes [TaskType], userIds [text], status [TaskState], dateStart moment,
    dateEnd moment, zoneId text}
POST wms/tasks 201 item WMSTask
  < {*warehouseId text, *taskType TaskType, taskId text, taskSubtype TaskSubtype, priority number,
    reference TaskReference, product TaskProduct, from BinReference, to BinReference, quantity
    {requested number, uom text}, assignment {userId text, userName text, equipmentId text}, timing
    {estimatedDuration number}}
GET wms/tasks/active 200 list WMSTask
  ? {zoneId text}
GET wms/tasks/metrics 200 item {totalTasks number, completedTasks number, averageDuration number,
    onTimeCompletion number, productivityByUser [{userId text, tasksCompleted number,
    averageDuration number, unitsPerHour number}], taskTypeMetrics [{taskType text, count number,
    averageDuration number}]}
  ? {taskTypes [TaskType], userIds [text], dateStart moment, dateEnd moment}
GET wms/tasks/timestamps 200 list {taskId text, taskType text, userId text?, timestamps TaskTiming}
  ? {taskId text, taskTypes [TaskType], userIds [text], dateStart moment, dateEnd moment,
    includeHistorical flag = false}
GET wms/tasks/user/{userId} 200 list WMSTask
  ? {status [TaskState]}
PATCH wms/tasks/{taskId} 200 item WMSTask ! 400 404
  < {taskStatus TaskState, assignment {userId text, userName text}, priority integer}
PUT wms/tasks/{taskId}/assign 200 item WMSTask ! 400 404
  < {*userId text, *userName text}
PUT wms/tasks/{taskId}/priority 200 item WMSTask ! 400 404
  < {*priority number}
POST wms/tasks/{taskId}/scans 200 item WMSTask ! 400
  < {*scanType ScanType, scannedValue text, expectedValue text, scanResult ScanResult}
PUT wms/tasks/{taskId}/status 200 item WMSTask ! 404
  < {*status TaskState, timestamp moment, userId text}
"""
