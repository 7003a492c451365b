"""Kinds that several parts of the wire share, in the notation of `catalogue.grammar`."""

KINDS = """
Address = {*street1 text, *city text, *state text, *postalCode text, *country text, street2 text}
ErrorResponse = {*success flag, *status integer, *error text, *meta {*event text, *timestamp moment}}
AbcClass = A|B|C
DocumentRelations = {erpOrder {orderId text, status text, totalAmount number, customerId text,
  partnerId text, poType text, orderDate moment}, ediDocuments [{transactionId text, docType text,
  status text, direction text, timestamp moment, businessDocumentNumber text}], financeTransaction
  {transactionId text, type text, amount number, status text, processedAt moment}}
EdiDirection = INBOUND|OUTBOUND
LooseReference = {worldId text}
OpeningHours = {monday {open text, close text}, tuesday {open text, close text}, wednesday {open text,
  close text}, thursday {open text, close text}, friday {open text, close text}, saturday {open text,
  close text}, sunday {open text, close text}}
OrderPriority = NORMAL|RUSH|STANDARD|URGENT
Priority = HIGH|LOW|NORMAL|URGENT
WorldReference = {*worldId text}
"""

OPERATIONS = ""
