"""Tickets, their verification, logs and audit logs, in the notation of `catalogue.grammar`."""

KINDS = """
AuditLog = {*_id text, *model text, *documentId text, *createdAt moment, *updatedAt moment, changedBy text?,
  before object?, after object?, reason text?}
ConstraintCheckResult = {*constraintId text, *description text, *passed flag, details object?}
EntityStateCheckResult = {*entityType text, *entityId text, *expectedStates [text], *actualState text,
  *passed flag}
InvariantCheckResult = {*invariantId text, *description text, *passed flag, actual object?,
  expected object?, error text?}
ItsmTicket = {*_id text, *worldRef WorldReference, *title text, *description text, *requester text,
  *status TicketState, *priority TicketPriority, *impact TicketWeight, *urgency TicketWeight,
  *type TicketType, *createdAt moment, *updatedAt moment, assignedTo text?, category text?,
  attachments [{url text, filename text, uploadedAt moment}], resolutionNotes text?, workNotes [WorkNote],
  metadata {odId text, odName text, runId text, failedStepId text?, failureType text?,
  contextSnapshots [object]}}
VerificationResult = {*passed flag, *ticketId text, *worldId text, *timestamp moment, *totalChecks integer,
  *passedChecks integer, *failedChecks integer, *verificationDurationMs number,
  invariantChecks [InvariantCheckResult], entityStateChecks [EntityStateCheckResult],
  constraintChecks [ConstraintCheckResult], failureReason text?, failureDetails object?}
WorkNote = {*author text, *note text, *createdAt moment, *updatedAt moment, *isPublic flag = false}
WorldLog = {*_id text, *worldRef WorldReference, *logId text, *timestamp moment, *serviceType LogService,
  *level LogLevel, *msg text, metadata object}
LogLevel = debug|error|fatal|info|trace|warn
LogService = as2|capability|edi|erp|finance|gateway|infra|knowledge-graph|manufacturing|od|other|persona|
  tickets|tms|translator|validator|wms|world
TicketPriority = critical|high|low|medium
TicketState = closed|in_progress|new|on_hold|open|resolved
TicketType = change|incident|problem|service_request
TicketWeight = high|low|medium
"""

OPERATIONS = """
GET tickets 200 items ItsmTicket
  ? {status TicketState, priority TicketPriority, impact TicketWeight, urgency TicketWeight,
    department text, assignedTo text, dateStart moment, dateEnd moment, limit count = 100, cursor text}
POST tickets 201 item ItsmTicket
  < {*title text, *description text, *requester text, type TicketType, priority TicketPriority,
    category text, metadata {odId text, odName text, runId text, failedStepId text, failureType text,
    contextSnapshots [object]}}
DELETE tickets/{ticketId} 200 item {message text}
GET tickets/{ticketId} 200 item ItsmTicket
PUT tickets/{ticketId} 200 item ItsmTicket
  < {title text, description text, status TicketState, priority TicketPriority, assignedTo text,
    resolutionNotes text}
PATCH tickets/{ticketId}/status 200 item ItsmTicket
  < {*status TicketState}
PATCH tickets/{ticketId}/work-notes 200 item ItsmTicket
  < {*workNotes [WorkNote]}
POST verification/verify-entity 200 bare VerificationResult ! 400 500
  < {*odId text, entityId text, entityType INVENTORY|ORDER|SHIPMENT|TASK|WAVE, metadata object}
POST verification/verify-ticket 200 bare VerificationResult ! 404 500
  < {*ticketId text}
GET audit-logs 200 list AuditLog ! 400 404 500
  ? {model Capability|Carrier|Company|EdiTransaction|ERPShipment|FinanceTransaction|InboundOrder|
    OperationalDescriptor|Persona|ProductionRun|Task|TMSShipment|World|WorldItsmTicket, documentId text,
    dateStart moment, dateEnd moment}
GET logs 200 items WorldLog ! 400 404 500
  ? {serviceType capability|edi|erp|finance|knowledge-graph|manufacturing|od|persona|tickets|tms|wms|world,
    level LogLevel, searchText text, dateStart moment, dateEnd moment, limit count = 100, cursor text}
"""
