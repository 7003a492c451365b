"""Outbound orders and shipments of a warehouse, in the notation of `catalogue.grammar`."""

KINDS = """
WMSOutboundOrder = {*_id text, *orderId text, *orderNumber text, *worldRef {*worldId text, worldName text},
  *warehouseId text, *customerId text, *customerName text, *orderType OutboundType, *priority Priority,
  *orderStatus OutboundState, *orderDate moment, *requestedShipDate moment, *lines [{*lineNumber number,
  *itemId text, *itemDescription text, *orderedQuantity number, *unitOfMeasure CS|EA|FT|GAL|KG|L|LB|M,
  *lineStatus ALLOCATED|PENDING|PICKED|PICKING|SHIPPED, allocatedQuantity number, pickedQuantity number,
  unitPrice number, allocations [LineAllocation], specialInstructions text}],
  *shippingAddress ShipToAddress, *createdAt moment, *updatedAt moment, carrierInfo {*carrierId text,
  *carrierName text, *serviceLevel text, trackingNumber text}, specialInstructions text, timing
  {releasedAt moment, allocatedAt moment, pickingStartedAt moment, pickedAt moment, packedAt moment,
  shippedAt moment}}
WMSOutboundShipment = {*_id text, *shipmentId text, *worldRef WorldReference, *warehouseId text,
  *shipmentStatus WmsShipmentState, *lines [{*lineNumber number, *sku text, *quantityShipped number,
  orderId text, orderLineId text, productName text, quantityOrdered number, unitOfMeasure text,
  lotNumber text, serialNumbers [text], palletId text, packageCount number, weight number,
  customFields object}], *toAddress {*street1 text, *city text, *state text, *postalCode text,
  country text}, *createdAt moment, *updatedAt moment, carrier ParcelCarrier, serviceLevel text,
  trackingNumber text, trailerNumber text, dockDoorId text, orders [{*orderId text}], totals ParcelTotals,
  dates {shipDate moment, manifestDate moment, loadStartTime moment, loadEndTime moment,
  actualShipTime moment, estimatedDeliveryDate moment, actualDeliveryDate moment}, fromAddress
  {street1 text, city text, state text, postalCode text, country text}, documents [{*type text, *url text,
  documentType text}], events [{timestamp moment, location text, status text, note text, source text}],
  customFields object}
LineAllocation = {*binId text, *quantity number, lotNumber text}
OutboundState = ALLOCATED|CANCELLED|PACKED|PENDING|PICKED|PICKING|RELEASED|SHIPPED
OutboundType = BULK|EXPRESS|RETURNS|STANDARD
ParcelCarrier = {name text, scac text, mode LTL|PARCEL|TL}
ParcelTotals = {packages number, pallets number, weight number, cube number, value number}
ShipToAddress = {*street1 text, *city text, *state text, *zipCode text, *country text, street2 text}
WmsShipmentState = CREATED|DELIVERED|EXCEPTION|IN_TRANSIT|LOADED|LOADING|MANIFESTED|SHIPPED
"""

OPERATIONS = """
POST wms/outbound-orders 201 item WMSOutboundOrder ! 400 409
  < {*orderId text, *orderNumber text, *warehouseId text, *customerId text, *customerName text,
    *orderDate moment, *requestedShipDate moment, *priority Priority, *orderType OutboundType,
    *lines [{*lineNumber number, *itemId text, *itemDescription text, *orderedQuantity number,
    *unitOfMeasure text, unitPrice number, specialInstructions text}], *shippingAddress ShipToAddress,
    carrierInfo {carrierId text, carrierName text, serviceLevel text, trackingNumber text},
    specialInstructions text}
GET wms/outbound-orders/customer/{customerId} 200 list WMSOutboundOrder
  ? {warehouseId text, status [OutboundState], dateStart moment, dateEnd moment}
GET wms/outbound-orders/metrics 200 item {totalOrders number, completedOrders number,
    averageFulfillmentTime number, onTimeShipments number, fulfillmentRate number,
    ordersByStatus [{status text, count number}], topCustomers [{customerId text, customerName text,
    orderCount number, totalLines number}]}
  ? {warehouseId text, dateStart moment, dateEnd moment, orderType [OutboundType]}
GET wms/outbound-orders/number/{orderNumber} 200 item WMSOutboundOrder ! 404
GET wms/outbound-orders/ready-for-picking/{warehouseId} 200 list WMSOutboundOrder
  ? {priority [Priority], orderType [OutboundType], customerId text}
GET wms/outbound-orders/status 200 items WMSOutboundOrder
  ? {*status [OutboundState], warehouseId text, customerId text, orderType [OutboundType],
    priority [Priority], dateStart moment, dateEnd moment, cursor text, limit count}
GET wms/outbound-orders/{orderId} 200 item WMSOutboundOrder ! 404
PATCH wms/outbound-orders/{orderId} 200 item WMSOutboundOrder ! 400 404
  < {orderStatus ALLOCATED|CANCELLED|CREATED|PACKED|PACKING|PICKED|PICKING|RELEASED|SHIPPED,
    orderPriority OrderPriority, dates {requiredShipDate moment, actualShipDate moment},
    dates.requiredShipDate moment, dates.actualShipDate moment}
PUT wms/outbound-orders/{orderId}/lines/{lineId}/allocate 200 item WMSOutboundOrder
  < {*allocatedQuantity number, allocationDetails [LineAllocation]}
PUT wms/outbound-orders/{orderId}/picking-progress 200 item WMSOutboundOrder
  < {*lineNumber number, *pickedQuantity number}
PUT wms/outbound-orders/{orderId}/priority 200 item WMSOutboundOrder ! 400 404
  < {*priority OrderPriority}
GET wms/outbound-orders/{orderId}/relations 200 item DocumentRelations ! 400 404
PUT wms/outbound-orders/{orderId}/status 200 item WMSOutboundOrder ! 404
  < {*status ALLOCATED|PACKED|PICKED|PICKING|RELEASED|SHIPPED, statusDate moment}
POST wms/shipments 201 item WMSOutboundShipment ! 400
  < {*warehouseId text, *lines [{*lineNumber number, *sku text, *quantityShipped number, orderId text,
    orderLineId text, productName text, quantityOrdered number, unitOfMeasure text, lotNumber text,
    serialNumbers [text], palletId text, packageCount number, weight number}], *toAddress {*street text,
    *city text, *state text, *zipCode text, country text}, shipmentId text, carrier ParcelCarrier,
    serviceLevel text, trackingNumber text, trailerNumber text, dockDoorId text, orders [{*orderId text}],
    fromAddress {street text, city text, state text, zipCode text, country text}, totals ParcelTotals, dates
    {shipDate moment, estimatedDeliveryDate moment}, documents [{type text, url text, documentType text}]}
GET wms/shipments/metrics 200 item {totalShipments number, shippedShipments number,
    deliveredShipments number, exceptionShipments number, averageTransitTime number,
    onTimeDeliveryRate number, shipmentsByCarrier [{carrier text, count number, onTimeRate number,
    avgTransitTime number}], shipmentsByDay [{date text, shipmentCount number, deliveredCount number}]}
  ? {warehouseId text, dateStart moment, dateEnd moment, carrier [text]}
GET wms/shipments/ready-to-ship/{warehouseId} 200 list WMSOutboundShipment
  ? {carrier text, serviceLevel text, priorityOrders flag}
GET wms/shipments/status 200 list WMSOutboundShipment
  ? {*status [WmsShipmentState], warehouseId text, carrierId text, serviceLevel text, dateStart moment,
    dateEnd moment}
GET wms/shipments/tracking/{trackingNumber} 200 item WMSOutboundShipment ! 404
GET wms/shipments/warehouse/{warehouseId} 200 list WMSOutboundShipment
  ? {status [WmsShipmentState], dateStart moment, dateEnd moment, carrier text}
GET wms/shipments/{shipmentId} 200 item WMSOutboundShipment ! 404
PUT wms/shipments/{shipmentId}/status 200 item WMSOutboundShipment ! 404
  < {*status WmsShipmentState, statusDate moment, trackingNumber text}
POST wms/shipments/{shipmentId}/tracking-events 200 item WMSOutboundShipment
  < {*eventType text, *eventDate moment, *location text, *description text, carrierEventCode text}
"""
