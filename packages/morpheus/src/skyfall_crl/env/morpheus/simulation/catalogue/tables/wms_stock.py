"""Stock, its movements, replenishments and cycle counts, in the notation of `catalogue.grammar`."""

KINDS = """
WMSCycleCount = {*_id text, *cycleCountId text, *warehouseId text, *countType CountType,
  *countStatus CountState, *schedule {scheduledDate moment, startDate moment, completedDate moment},
  *worldRef LooseReference, *createdAt moment, *updatedAt moment, id text, scope CountScope,
  assignments [{userId text, userName text, assignedBins [text], status CountAssignmentState}],
  counts [{binId text, productId text, sku text, lotNumber text, systemQuantity number,
  countedQuantity number, variance number, variancePercent number, countedBy text, countedAt moment,
  reconciledBy text, reconciledAt moment, notes text}], summary {totalBins integer, totalProducts integer,
  itemsMatched integer, itemsVariance integer, accuracyPercent number, totalVarianceValue number},
  approvedBy text, approvedAt moment, notes text, customFields object}
WMSInventoryTransaction = {*_id text, *transactionId text, *warehouseId text, *transactionType MovementType,
  *productId text, *quantity number, *transactionDate moment, *worldRef WorldReference, *createdAt moment,
  *updatedAt moment, sku text?, fromBinId text?, toBinId text?, lotNumber text?, licensePlateNumber text?,
  uom text?, referenceType MovementCause, referenceId text?, userId text?, userName text?, reasonCode text?,
  notes text?, customFields object}
WMSReplenishment = {*_id text, *replenishmentId text, *warehouseId text, *productId text, *fromBin
  {*binId text, binCode text, availableQuantity number, currentQuantity number}, *toBin {*binId text,
  binCode text, currentQuantity number, minQuantity number, maxQuantity number}, *quantity
  {*suggested number, *uom text, approved number?, actual number?}, *replenishmentType ReplenishmentType,
  *priority number, *status ReplenishmentState, *worldRef WorldReference, *createdAt moment,
  *updatedAt moment, sku text, dueDate moment?, taskId text?, approvedBy text?, approvedDate moment?,
  completedBy text?, completedDate moment?, cancelReason text?, cancelledBy text?, cancelledDate moment?,
  notes text?, customFields object}
CountAssignmentState = ASSIGNED|COMPLETED|IN_PROGRESS
CountScope = {zoneId text, binIds [text], productIds [text], abcClassification AbcClass}
CountState = APPROVED|CANCELLED|COMPLETED|IN_PROGRESS|REJECTED|SCHEDULED
CountType = ABC|BLIND|DAILY|FULL|MONTHLY|SPOT|WEEKLY
InventoryState = ALLOCATED|AVAILABLE|DAMAGED|EXPIRED|HOLD|QUARANTINE
MovementCause = CYCLE_COUNT|ORDER|PO|TASK
MovementType = ADJUST|CYCLE_COUNT|DAMAGE|MOVE|PICK|PUTAWAY|RECEIVE|RETURN|SHIP
ReplenishmentState = APPROVED|CANCELLED|COMPLETED|IN_PROGRESS|SUGGESTED|TASK_CREATED
ReplenishmentType = CYCLE|DEMAND|MANUAL|MIN_MAX
WMSInventory = {inventoryId text, sku text, productName text, warehouseId text, binId text,
  quantityOnHand integer, quantityAllocated integer, quantityAvailable integer,
  inventoryStatus InventoryState, lotNumber text, expirationDate moment, lastMovementAt moment}
"""

OPERATIONS = """
POST wms/cycle-counts 201 item WMSCycleCount ! 400
  < {*warehouseId text, *countType CountType, *schedule {*scheduledDate moment, startDate moment,
    completedDate moment}, cycleCountId text, countStatus CountState, scope CountScope,
    assignments [{*userId text, *userName text, assignedBins [text], status CountAssignmentState}],
    notes text, customFields object}
GET wms/cycle-counts/scheduled 200 list WMSCycleCount ! 400
  ? {*from moment, *to moment, warehouseId text}
GET wms/cycle-counts/status 200 item {counts [WMSCycleCount], pagination {totalCount integer, limit integer,
    hasMore flag, nextCursor text?, previousCursor text?}} ! 400
  ? {*status [CountState], warehouseId text, countType [CountType], dateStart moment, dateEnd moment,
    cursor text, limit count = 50}
GET wms/cycle-counts/variance-report 200 item {summary {totalCounts integer, totalVariances integer,
    accuracyPercent number, totalVarianceValue number, avgVariancePercent number},
    variancesByType [{countType text, totalCounts integer, varianceCount integer, accuracyPercent number,
    avgVarianceValue number}], variancesByWarehouse [{warehouseId text, totalCounts integer,
    accuracyPercent number, totalVarianceValue number}], trends {monthlyAccuracy [{month text,
    accuracyPercent number, totalVarianceValue number}]}} ! 400
  ? {warehouseId text, dateStart moment, dateEnd moment, countType [CountType]}
GET wms/cycle-counts/warehouse/{warehouseId} 200 list WMSCycleCount ! 400
  ? {status [CountState], countType [CountType], dateStart moment, dateEnd moment}
GET wms/cycle-counts/{cycleCountId} 200 item WMSCycleCount ! 400 404
PUT wms/cycle-counts/{cycleCountId}/assign 200 item WMSCycleCount ! 400 404
  < {*userId text, *userName text, *assignedBins [text]}
POST wms/cycle-counts/{cycleCountId}/results 200 item WMSCycleCount ! 400 404
  < {*binId text, *productId text, *sku text, *expectedQuantity number, *actualQuantity number,
    *variance number, *countedBy text, *countedAt moment, notes text}
PUT wms/cycle-counts/{cycleCountId}/status 200 item WMSCycleCount ! 400 404
  < {*status CountState, completedBy text}
GET wms/inventory 200 item {items [WMSInventory], pagination {total integer, limit integer, offset offset,
    hasMore flag}} ! 400
  ? {status [InventoryState], warehouseId text, expiringSoon false|true, search text, limit count = 50,
    offset offset = 0}
POST wms/inventory-transactions 201 item WMSInventoryTransaction ! 400
  < {*warehouseId text, *transactionType MovementType, *productId text, *quantity number, sku text,
    fromBinId text, toBinId text, lotNumber text, licensePlateNumber text, uom text,
    referenceType MovementCause, referenceId text, transactionDate moment, userId text, userName text,
    reasonCode text, notes text, customFields object}
GET wms/inventory-transactions/adjustments 200 list WMSInventoryTransaction ! 400
  ? {warehouseId text, dateStart moment, dateEnd moment, userId text}
GET wms/inventory-transactions/bin/{binId} 200 list WMSInventoryTransaction ! 400
  ? {warehouseId text, transactionType [MovementType], dateStart moment, dateEnd moment, productId text}
GET wms/inventory-transactions/history 200 list WMSInventoryTransaction ! 400
  ? {warehouseId text, productId text, binId text, transactionType [MovementType], dateStart moment,
    dateEnd moment, limit count}
GET wms/inventory-transactions/movement-report 200 item {totalTransactions integer,
    transactionsByType [{transactionType text, count integer, totalQuantity number}],
    topMovingProducts [{productId text, sku text, totalQuantity number, transactionCount integer}],
    movementsByDate [{date day, transactionCount integer, totalQuantity number}]} ! 400
  ? {warehouseId text, productIds [text], transactionType [MovementType], dateStart moment, dateEnd moment}
GET wms/inventory-transactions/product/{productId} 200 items WMSInventoryTransaction ! 400
  ? {warehouseId text, transactionType [MovementType], dateStart moment, dateEnd moment, binId text,
    cursor text, limit count}
GET wms/inventory-transactions/reference/{referenceType}/{referenceId} 200 list WMSInventoryTransaction !
    500
PATCH wms/inventory/{inventoryId} 200 undeclared ! 400 404
  < {inventoryStatus InventoryState, lotNumber text, expirationDate moment, binId text}
PUT wms/inventory/{inventoryId}/status 200 undeclared ! 400 404
  < {*inventoryStatus ALLOCATED|AVAILABLE|EXPIRED|HOLD|QUARANTINE}
POST wms/replenishments 201 item WMSReplenishment
  < {*replenishmentId text, *warehouseId text, *productId text, *fromBin {binId text, binCode text,
    availableQuantity number, currentQuantity number}, *toBin {binId text, binCode text,
    currentQuantity number, minQuantity number, maxQuantity number}, *quantity {*suggested number,
    *uom text}, sku text, replenishmentType ReplenishmentType, priority number, dueDate moment}
GET wms/replenishments/bin/{binId} 200 list WMSReplenishment
  ? {*type destination|source, warehouseId text, status [ReplenishmentState]}
GET wms/replenishments/metrics 200 item {totalReplenishments number, pendingReplenishments number,
    completedReplenishments number, averageCompletionTime number, replenishmentsByType [{type text,
    count number, completionRate number}], topReplenishedProducts [{productId text, sku text,
    replenishmentCount number, totalQuantity number}]}
  ? {warehouseId text, dateStart moment, dateEnd moment, replenishmentType [ReplenishmentType]}
GET wms/replenishments/product/{productId} 200 list WMSReplenishment
  ? {warehouseId text, status [ReplenishmentState], dateStart moment, dateEnd moment}
GET wms/replenishments/status 200 list WMSReplenishment
  ? {*status [ReplenishmentState], warehouseId text, productId text, replenishmentType [ReplenishmentType],
    priority number}
GET wms/replenishments/{replenishmentId} 200 item WMSReplenishment ! 404
PUT wms/replenishments/{replenishmentId}/approve 200 item WMSReplenishment
  < {*approvedBy text, approvedQuantity number}
PUT wms/replenishments/{replenishmentId}/cancel 200 item WMSReplenishment
  < {*reason text, *cancelledBy text}
PUT wms/replenishments/{replenishmentId}/status 200 item WMSReplenishment
  < {*status ReplenishmentState, taskId text}
"""
