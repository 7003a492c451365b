"""Warehouses, zones, bins and distribution centres, in the notation of `catalogue.grammar`."""

KINDS = """
WMSBin = {*_id text, *binId text, *binCode text, *warehouseId text, *zoneId text, *status BinState,
  *worldRef LooseReference, *createdAt moment, *updatedAt moment, id text, aisleId text, location BinSpot,
  binType BinType, locationType BinPlace, capacity BinCapacity, abcClassification AbcClass, pickable flag,
  lastInventoryCheck moment, customFields object}
WMSDistributionCenter = {*_id text, *dcId text, *warehouseId text, *dcName text,
  *operationalStatus CenterState, *worldRef LooseReference, *createdAt moment, *updatedAt moment, id text,
  dcType CenterType, address {street text, city text, state text, zipCode text, country text},
  timezone text, totalSqFootage number, operatingHours OpeningHours, contactInfo SiteContact,
  customFields object}
WMSWarehouse = {*_id text, *worldRef LooseReference, *warehouseId text, *warehouseCode text,
  *warehouseName text, *address {*city text, *state text, *postalCode text, *country text, street text,
  latitude number?, longitude number?}, *timezone text, *createdAt moment, *updatedAt moment,
  *status WarehouseState = ACTIVE, warehouseType WarehouseType}
WMSZone = {*_id text, *worldRef LooseReference, *zoneId text, *warehouseId text, *zoneCode text,
  *zoneName text, *createdAt moment, *updatedAt moment, *temperatureControlled flag = false,
  zoneType ZoneType, temperatureRange TemperatureRange?, capacityCubicFeet number?, aisles [ZoneAisle],
  customFields object?}
BinCapacity = {maxWeightLbs number, maxCubicFeet number, maxPallets integer}
BinPlace = DOCK|QC|RETURN|STAGING|STORAGE
BinSpot = {aisle text, bay text, level integer, position text}
BinState = AVAILABLE|BLOCKED|DAMAGED|OCCUPIED|RESERVED
BinType = CASE_FLOW|FLOOR|PALLET|PICK_FACE|RESERVE|SHELF
CenterState = ACTIVE|INACTIVE|MAINTENANCE
CenterType = COLD_STORAGE|CROSS_DOCK|FULFILLMENT|3PL
SiteContact = {phone text, email text, manager text}
TemperatureRange = {min number, max number, unit text}
Utilization = {weightPercent number, volumePercent number, countPercent number}
WarehouseState = ACTIVE|ARCHIVED|DISABLED
WarehouseType = FULFILLMENT|RETURNS|STAGING|3PL|VIRTUAL
ZoneAisle = {aisleId text, aisleCode text, aisleType text}
ZoneType = PACKING|PICKING|QC|RECEIVING|RETURNS|SHIPPING|STAGING|STORAGE
"""

OPERATIONS = """
POST wms/bins 201 item WMSBin ! 400
  < {*binCode text, *warehouseId text, *zoneId text, binId text, aisleId text, location BinSpot,
    binType BinType, locationType BinPlace, capacity BinCapacity, status BinState,
    abcClassification AbcClass, pickable flag, customFields object}
GET wms/bins/available 200 list WMSBin ! 400
  ? {warehouseId text, zoneIds [text], binType [BinType], minWeight number, minVolume number,
    minPallets integer}
GET wms/bins/code/{binCode} 200 item WMSBin ! 400 404
  ? {warehouseId text}
GET wms/bins/utilization 200 item {overall {totalBins integer, availableBins integer, occupiedBins integer,
    utilization Utilization}, byZone [{zoneId text, totalBins integer, availableBins integer,
    occupiedBins integer, utilization Utilization}], capacity {totalWeight number, availableWeight number,
    totalVolume number, availableVolume number, totalPallets integer, availablePallets integer}} ! 400
  ? {zoneIds [text], warehouseId text, dateStart moment, dateEnd moment}
GET wms/bins/zone/{zoneId} 200 list WMSBin ! 400
  ? {status [BinState], binType [BinType], locationType [BinPlace], abcClassification [AbcClass]}
PUT wms/bins/{binId}/capacity 200 item WMSBin ! 400 404
  < any
PUT wms/bins/{binId}/status 200 item WMSBin ! 400 404
  < {*status BinState, reason text}
GET wms/distribution-centers 200 list WMSDistributionCenter ! 400
  ? {warehouseId text, dcType [CenterType], operationalStatus [CenterState]}
POST wms/distribution-centers 201 item WMSDistributionCenter ! 400 409
  < {*warehouseId text, *dcName text, dcType CenterType, address {street1 text, city text, state text,
    zipCode text, country text}, timezone text, totalSqFootage number, operationalStatus CenterState,
    operatingHours OpeningHours, contactInfo SiteContact, customFields object}
GET wms/distribution-centers/status 200 list WMSDistributionCenter ! 400
  ? {*status [CenterState], warehouseId text, dcType [CenterType]}
GET wms/distribution-centers/{dcId} 200 item WMSDistributionCenter ! 400 404
GET wms/distribution-centers/{dcId}/capacity 200 item {dcId text, dcName text, totalSqFootage number,
    utilizationMetrics {totalZones number, totalBins number, occupiedBins number,
    utilizationPercentage number}, operationalHours OpeningHours} ! 400 404
PUT wms/distribution-centers/{dcId}/status 200 item WMSDistributionCenter ! 400 404
  < {*status CenterState, reason text}
GET wms/warehouses 200 items WMSWarehouse
  ? {warehouseType [WarehouseType], status [WarehouseState], cursor text, limit count = 50}
POST wms/warehouses 201 item WMSWarehouse ! 400
  < {*warehouseName text, *address {*street1 text, *city text, *state text, *postalCode text, *country text,
    latitude number, longitude number}, *timezone text, warehouseType WarehouseType, status WarehouseState}
GET wms/warehouses/active 200 items WMSWarehouse
  ? {warehouseType [WarehouseType], cursor text, limit count = 50}
GET wms/warehouses/code/{warehouseCode} 200 item WMSWarehouse ! 404
GET wms/warehouses/search 200 list WMSWarehouse ! 400
  ? {*q text, warehouseType [WarehouseType], status [WarehouseState], limit count = 50}
GET wms/warehouses/timezone/{timezone} 200 list WMSWarehouse
  ? {warehouseType [WarehouseType], status [WarehouseState], limit count = 50}
GET wms/warehouses/type/{warehouseType} 200 items WMSWarehouse
  ? {status [WarehouseState], cursor text, limit count = 50}
GET wms/warehouses/{warehouseId} 200 item WMSWarehouse ! 404
PUT wms/warehouses/{warehouseId} 200 item WMSWarehouse ! 404
  < {warehouseName text, address {street1 text, city text, state text, postalCode text, country text,
    latitude number, longitude number}, timezone text, warehouseType WarehouseType}
PUT wms/warehouses/{warehouseId}/status 200 item WMSWarehouse ! 400 404
  < {*status WarehouseState}
POST wms/zones 201 item WMSZone ! 400
  < {*warehouseId text, *zoneName text, zoneType ZoneType, temperatureControlled flag,
    temperatureRange TemperatureRange, capacityCubicFeet number, aisles [ZoneAisle], customFields object}
GET wms/zones/type/{zoneType} 200 items WMSZone
  ? {warehouseId text}
GET wms/zones/warehouse/{warehouseId} 200 items WMSZone
  ? {zoneType [text], temperatureControlled flag}
GET wms/zones/warehouse/{warehouseId}/code/{zoneCode} 200 item WMSZone ! 404
GET wms/zones/{zoneId} 200 item WMSZone ! 404
PUT wms/zones/{zoneId} 200 item WMSZone ! 404
  < {zoneName text, zoneType ZoneType, temperatureControlled flag, temperatureRange TemperatureRange,
    capacityCubicFeet number, customFields object}
POST wms/zones/{zoneId}/aisles 200 item WMSZone ! 400
  < {*aisleId text, *aisleCode text, *aisleType text}
DELETE wms/zones/{zoneId}/aisles/{aisleId} 200 item WMSZone
GET wms/zones/{zoneId}/capacity-utilization 200 list {zoneId text, zoneCode text, zoneName text,
    zoneType text, totalCapacity number, usedCapacity number, utilizationPercentage number, binCount number,
    availableBinCount number}
  ? {warehouseId text, zoneIds [text], zoneType [text]}
"""
