"""EDI documents and their statistics, in the notation of `catalogue.grammar`."""

KINDS = """
EdiTransaction = {*_id text, *transactionId text, *partnerId text, *docType EdiType, *direction IN|OUT,
  *timestamp moment, *status EdiState, *createdAt moment, *updatedAt moment, customerId text,
  companyId text, dollarValue number, interchangeControlNumber text, groupControlNumber text,
  transactionSetControlNumber text, businessDocumentNumber text, errorReason text, errorDetails object,
  fileName text, flowId text, rawEdi text, payload object}
EdiState = ARCHIVED|DELIVERED|ERRORED|PROCESSING|QUEUED|RECEIVED
EdiType = 850|855|856|810|820|997|999
"""

OPERATIONS = """
GET edi 200 page EdiTransaction ! 400 500
  ? {partnerId text, customerId text, docType EdiType, direction EdiDirection, status EdiState, flowId text,
    dateStart moment, dateEnd moment, cursor text, limit count = 20}
POST edi 201 item EdiTransaction ! 400
  < {*partnerId text, *docType EdiType, *direction EdiDirection, rawEdi text}
GET edi/deprecated 200 page EdiTransaction ! 400 500
  ? {partnerId text, customerId text, docType EdiType, direction EdiDirection, status EdiState, flowId text,
    dateStart moment, dateEnd moment, page count = 1, pageSize count = 10}
GET edi/statistics/amount 200 item {ediDollarAmountExposureByPartners [{partnerId text,
    totalDollarAmount number, transactionCount integer}]} /
    {ediDollarAmountExposureByDocumentType [{docType text, totalDollarAmount number,
    transactionCount integer}]} ! 400
  ? {*aggregationType by-document-type|by-partners, dateStart moment, dateEnd moment}
GET edi/statistics/errors 200 item {ediErrorStats [{docType text, partnerId text, count integer}]}
  ? {*aggregationType by-doctype|by-partners, dateStart moment, dateEnd moment}
GET edi/statistics/invoice 200 item {invoiceStatistics {total integer, errored integer,
    rejectionRate number, totalExposureDollar number, firstPassAcceptanceRate number}}
  ? {dateStart moment, dateEnd moment}
DELETE edi/{transactionId} 200 item {deleted flag}
GET edi/{transactionId} 200 item EdiTransaction ! 404
PATCH edi/{transactionId} 200 item EdiTransaction
  < {businessDocumentNumber text, flowId text, payload object}
POST edi/{transactionId}/requeue 200 item EdiTransaction
PATCH edi/{transactionId}/status 200 item EdiTransaction
  < {*status EdiState, errorReason text, errorDetails object}
"""
