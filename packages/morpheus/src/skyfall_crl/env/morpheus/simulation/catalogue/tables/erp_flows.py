"""ERP payments and shipments, in the notation of `catalogue.grammar`."""

KINDS = """
ERPPayment = {*_id text, *worldId text, *paymentId text, *customerId text, *paymentDate day,
  *totalAmount number, __v number, remittanceId text, partnerId text, currency text = USD,
  method PaymentMethod = ACH, bankDetails BankDetails, allocations [PaymentAllocation],
  status PaymentState = RECEIVED, ediTransactionId text, referenceNumbers [text], notes text, flowId text,
  customFields object, createdAt moment, updatedAt moment}
ERPShipment = {*_id text, *worldId text, *shipmentId text, *status ErpShipmentState, *toAddress Address,
  *lines [{lineNumber number, sku text, quantityShipped number, quantityOrdered number, unitOfMeasure text,
  lotNumber text, serialNumbers [text], palletId text, packageCount number, weight number, customs object,
  customFields object}], __v number, poNumber text, carrier Haulier, trackingNumber text, shipDate day,
  estimatedArrival day, actualArrival day, fromAddress Address, packaging Packaging, ediTransactionId text,
  documents [text], events [{ts moment, location text, status text, note text}], flowId text,
  customFields object, createdAt moment, updatedAt moment}
PaymentAllocation = NewAllocation
AllocationMethod = AUTOMATIC|FIFO|LIFO|MANUAL
BankDetails = {bankName text, accountNumber text, routingNumber text, swift text}
ErpShipmentState = CREATED|DELIVERED|EXCEPTION|IN_TRANSIT
Haulier = {name text, scac text, mode text}
NewAllocation = {*invoiceNumber text, *appliedAmount number, discountTaken number, unappliedAmount number,
  allocationMethod AllocationMethod}
Packaging = {palletCount number, totalPackages number, packagingType text}
PaymentMethod = ACH|CHECK|CREDIT_CARD|OTHER|WIRE
PaymentState = APPLIED|RECEIVED|REVERSAL|UNMATCHED
ShippedLine = {*lineNumber number, *sku text, *quantityShipped number, quantityOrdered number,
  unitOfMeasure text, lotNumber text, serialNumbers [text], palletId text, packageCount number,
  weight number}
"""

OPERATIONS = """
GET erp/payments 200 page ERPPayment
  ? {status PaymentState, customerId text, partnerId text, productId text, dateStart day, dateEnd day,
    cursor text, limit count = 50}
POST erp/payments 201 item ERPPayment ! 400
  < {*customerId text, *paymentDate day, *totalAmount number, paymentId text, remittanceId text,
    partnerId text, currency text, method PaymentMethod, bankDetails BankDetails,
    allocations [{*invoiceNumber text, *appliedAmount number, discountTaken number, unappliedAmount number,
    allocationMethod text}], status PaymentState, referenceNumbers [text], notes text, flowId text,
    customFields object}
DELETE erp/payments/{paymentId} 200 item {message text} ! 404
GET erp/payments/{paymentId} 200 item ERPPayment ! 404
PUT erp/payments/{paymentId} 200 item ERPPayment ! 404
  < {totalAmount number, method PaymentMethod, bankDetails BankDetails, status PaymentState,
    referenceNumbers [text], notes text, customFields object}
PUT erp/payments/{paymentId}/allocations 200 item ERPPayment ! 400 404
  < {*allocations [NewAllocation]}
PUT erp/payments/{paymentId}/status 200 item ERPPayment ! 400 404
  < {*status PaymentState}
GET erp/shipments 200 page ERPShipment
  ? {status ErpShipmentState, productId text, carrierName text, shipmentId text, dateStart day, dateEnd day,
    cursor text, limit count = 50}
POST erp/shipments 201 item ERPShipment ! 400
  < {*toAddress Address, *lines [ShippedLine], shipmentId text, poNumber text, carrier Haulier,
    trackingNumber text, shipDate day, estimatedArrival day, status ErpShipmentState, fromAddress Address,
    packaging Packaging, flowId text, customFields object}
POST erp/shipments/bulk 200 item {message text} ! 400
  < {*shipments [{shipmentId text, poNumber text, carrier {name text, scac text}, trackingNumber text,
    status ErpShipmentState, toAddress Address, lines [{sku text, quantityShipped number}]}]}
DELETE erp/shipments/{shipmentId} 200 item {message text} ! 404
GET erp/shipments/{shipmentId} 200 item ERPShipment ! 404
PUT erp/shipments/{shipmentId} 200 item ERPShipment ! 404
  < {trackingNumber text, estimatedArrival day, actualArrival day, status ErpShipmentState, carrier Haulier,
    packaging Packaging, customFields object}
POST erp/shipments/{shipmentId}/documents 200 item ERPShipment ! 400 404
  < {*documentUrl text}
POST erp/shipments/{shipmentId}/events 200 item ERPShipment ! 400 404
  < {*ts moment, *location text, *status text, note text}
PUT erp/shipments/{shipmentId}/lines 200 item ERPShipment ! 400 404
  < {*lines [{*lineNumber number, *sku text, *quantityShipped number, quantityOrdered number,
    unitOfMeasure text, lotNumber text, serialNumbers [text], palletId text, packageCount number,
    weight number, customFields object}]}
PUT erp/shipments/{shipmentId}/status 200 item ERPShipment ! 400 404
  < {*status ErpShipmentState}
PUT erp/shipments/{shipmentId}/tracking 200 item ERPShipment ! 400 404
  < {*carrier {*name text, scac text, mode text}, trackingNumber text}
"""
