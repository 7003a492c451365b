"""ERP orders and invoices, in the notation of `catalogue.grammar`."""

KINDS = """
ERPInvoice = {*_id text, *worldId text, *invoiceId text, *customerId text, *issueDate day,
  *totalAmount number, *status InvoiceState, *lines [{lineNumber number, sku text, description text,
  quantity number, unitPrice number, lineAmount number, discount {amount number, percent number},
  taxDetails [TaxDetail], accounting {costCenter text, glAccount text}, customFields object}], __v number,
  invoiceType InvoiceType, poNumber text, orderId text, partnerId text, billTo Address, remitTo Address,
  dueDate day, currency text, subtotal number, allowances [Adjustment], charges [Adjustment],
  taxes [TaxDetail], balanceDue number, references [{docType text, docId text}], ediTransactionId text,
  taxSummary object, accounting {arAccount text, period text, postingDate moment}, disputes [{ticketId text,
  reason text, createdAt moment}], correctionHistory [{previous object, correctedAt moment,
  correctedBy text}], attachments [{filename text, url text}], flowId text, paymentTerms text,
  customFields object, createdAt moment, updatedAt moment}
ERPOrder = {*_id text, *worldId text, *orderId text, *customerId text, *orderDate day, *status ACKED|
  CANCELLED|COMPLETED|IN_PROGRESS|MANUFACTURING_COMPLETE|MATERIALS_PICKED|PARTIALLY_SHIPPED|RECEIVED,
  *lines [{lineNumber number, sku text, description text, quantityOrdered number, unitPrice number,
  lineTotal number, promisedDate day, poLineId text, quantityBackordered number, quantityCanceled number,
  unitOfMeasure text, shipToAddress Address, taxDetails [TaxDetail], scheduleLines [{qty number, date day}],
  customFields object}], __v number, poType OrderType, direction EdiDirection = INBOUND, partnerId text,
  requestedDate day, dueDate day, buyer {id text, name text}, currency text, subtotal number,
  discounts [Adjustment], taxes [TaxDetail], totalAmount number, attachments [{filename text, url text}],
  ediTransactionId text, flowId text, notes text, customFields object, createdAt moment, updatedAt moment}
TaxDetail = {taxType text, jurisdiction text, taxRate number, taxAmount number, taxableBase number,
  taxId text}
Adjustment = {description text, amount number}
InvoiceState = DRAFT|PAID|PARTIALLY_PAID|REJECTED|SENT|VALIDATED
InvoiceType = CORRECTION|CREDIT|DEBIT|STANDARD
OrderState = ACKED|CANCELLED|COMPLETED|IN_PROGRESS|PARTIALLY_SHIPPED|RECEIVED
OrderType = BLANKET|CONTRACT|DROP_SHIP|STANDARD
"""

OPERATIONS = """
GET erp/invoices 200 page ERPInvoice
  ? {status InvoiceState, customerId text, partnerId text, dateStart day, dateEnd day, cursor text,
    limit count = 50}
POST erp/invoices 201 item ERPInvoice ! 400
  < {*customerId text, *issueDate day, *totalAmount number, *lines [{*lineNumber number, *sku text,
    *quantity number, *unitPrice number, description text, lineAmount number}], invoiceId text,
    invoiceType InvoiceType, poNumber text, partnerId text, billTo Address, remitTo Address, dueDate day,
    currency text, subtotal number, allowances [Adjustment], charges [Adjustment], balanceDue number,
    status InvoiceState, paymentTerms text, customFields object}
DELETE erp/invoices/{invoiceId} 200 item {message text} ! 404
GET erp/invoices/{invoiceId} 200 item ERPInvoice ! 404
PUT erp/invoices/{invoiceId} 200 item ERPInvoice ! 404
  < {dueDate day, subtotal number, totalAmount number, balanceDue number, status InvoiceState,
    allowances [Adjustment], charges [Adjustment], lines [{lineNumber number, quantity number,
    unitPrice number, lineAmount number}], customFields object}
PUT erp/invoices/{invoiceId}/status 200 item ERPInvoice ! 400 404
  < {*status InvoiceState}
GET erp/orders 200 page ERPOrder
  ? {status OrderState, customerId text, partnerId text, orderId text, orderdateStart day, orderdateEnd day,
    requesteddateStart day, requesteddateEnd day, cursor text, limit count = 50}
POST erp/orders 201 item ERPOrder ! 400
  < {*customerId text, *orderDate day, *lines [{*lineNumber number, *sku text, *quantityOrdered number,
    description text, unitPrice number, lineTotal number, promisedDate day}], orderId text,
    poType OrderType, partnerId text, requestedDate day, dueDate day, buyer {id text, name text},
    currency text, subtotal number, discounts [Adjustment], totalAmount number, status OrderState,
    notes text, customFields object}
DELETE erp/orders/{orderId} 200 item {message text} ! 404
GET erp/orders/{orderId} 200 item ERPOrder ! 404
PUT erp/orders/{orderId} 200 item ERPOrder ! 404
  < {requestedDate day, dueDate day, subtotal number, totalAmount number, status OrderState,
    lines [{lineNumber number, quantityOrdered number, unitPrice number, lineTotal number}], notes text,
    customFields object}
PUT erp/orders/{orderId}/status 200 item ERPOrder ! 400 404
  < {*status OrderState}
"""
