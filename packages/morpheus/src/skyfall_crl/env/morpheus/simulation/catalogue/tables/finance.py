"""The ledger and the cash movements behind it, in the notation of `catalogue.grammar`."""

KINDS = """
CompanyLedger = {*_id text, *worldRef WorldReference, *netPosition number, *cash number = 0,
  *totalReceivables number = 0, *totalPayables number = 0, __v number, createdAt moment, updatedAt moment}
FinanceTransaction = {*_id text, *worldRef WorldReference, *transactionId text, *type CashFlow,
  *amount number, *sourceType CashSource, *sourceId text, __v number, partnerId text, metadata object,
  createdAt moment, updatedAt moment}
CashFlow = payment_in|payment_out
CashSource = bill|interest|invoice|manual|payment
CashSummary = {totalIncoming number, totalOutgoing number, netBalance number, transactionCount number,
  avgTransactionAmount number}
LedgerFigures = {cash number, totalReceivables number, totalPayables number}
NewCashMovement = {*type CashFlow, *amount number, *sourceType CashSource, *sourceId text,
  transactionId text, partnerId text, metadata object}
PartnerFigures = {partnerId text, count number, totalAmount number, avgAmount number}
"""

OPERATIONS = """
GET ledger 200 item CompanyLedger ! 404
PATCH ledger 200 item CompanyLedger ! 404
  < LedgerFigures
POST ledger 201 item CompanyLedger ! 400
  < LedgerFigures
GET ledger/analytics/summary 200 item {totalCash number, totalReceivables number, totalPayables number,
    totalNetPosition number, ledgerCount number, positiveLedgers number, negativeLedgers number}
PATCH ledger/increment 200 item CompanyLedger ! 400 404
  < {cashDelta number, receivablesDelta number, payablesDelta number}
GET finance/stats 200 item {byType object, byPartner [PartnerFigures], summary CashSummary}
  ? {partnerId text, dateStart day, dateEnd day}
GET finance/stats/by-partner 200 list PartnerFigures
  ? {type CashFlow, dateStart day, dateEnd day, limit count = 100}
GET finance/stats/by-type 200 item object
  ? {partnerId text, dateStart day, dateEnd day}
GET finance/summary 200 item CashSummary
  ? {partnerId text, dateStart day, dateEnd day}
GET finance/transactions 200 page FinanceTransaction
  ? {partnerId text, type CashFlow, sourceType CashSource, sourceId text, amountMin number,
    amountMax number, dateStart day, dateEnd day, search text, cursor text, limit count = 20}
POST finance/transactions 201 item FinanceTransaction ! 400
  < NewCashMovement
POST finance/transactions/bulk 201 item {insertedCount integer} ! 400
  < {*transactions [NewCashMovement]}
GET finance/transactions/source/{sourceType}/{sourceId} 200 list FinanceTransaction ! 400
  ? {limit count = 20}
DELETE finance/transactions/{transactionId} 200 item {deleted flag} ! 404
GET finance/transactions/{transactionId} 200 item FinanceTransaction ! 404
PATCH finance/transactions/{transactionId} 200 item FinanceTransaction ! 404
  < {partnerId text, type CashFlow, amount number, sourceType CashSource, sourceId text, metadata object}
"""
