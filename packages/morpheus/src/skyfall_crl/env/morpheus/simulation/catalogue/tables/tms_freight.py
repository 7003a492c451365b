"""Carriers and freight, in the notation of `catalogue.grammar`."""

KINDS = """
TMSCargo = {totalWeight number, totalWeightUOM text, totalVolume number, totalVolumeUOM text,
  palletCount integer, packageCount integer, commodityType text, hazmat flag, temperatureControlled flag,
  temperatureRange {min number, max number, uom C|F}}
TMSDelay = {*delayType FreightDelay, *reason text, *startTime moment, endTime moment, estimatedDelay number}
TMSLocation = {*locationName text, *address {street1 text, city text, state text, postalCode text,
  country text}, locationId text, coordinates Position, contactName text, contactPhone text}
TMSShipment = {*_id text, *id text, *shipmentId text, *shipmentNumber text, *status FreightState,
  *origin TMSLocation, *destination TMSLocation, shipmentType FreightType, serviceLevel ServiceLevel,
  carrierInfo {carrierId text, carrierName text, carrierCode text, scacCode text, proNumber text,
  trackingNumber text}, dates {plannedPickupDate moment, actualPickupDate moment?,
  plannedDeliveryDate moment, estimatedDeliveryDate moment, actualDeliveryDate moment?}, cargo TMSCargo,
  costs {baseCost number?, fuelSurcharge number?, accessorialCharges number?, totalCost number?,
  currency text, costPerMile number?}?, currentLocation {lastKnownPosition Position, lastUpdateTime moment,
  currentCity text, currentState text}?, delays [TMSDelay], routeInfo {plannedRoute [{stopNumber integer,
  locationName text, arrivalTime moment?, departureTime moment?}], estimatedDistance number?,
  estimatedDuration number?}?, externalEvents [{eventType text, eventDescription text, eventTime moment,
  source text}], references {orderId text?, purchaseOrderNumber text?, invoiceNumber text?,
  customerReference text?, loadNumber text?}?, createdAt moment, updatedAt moment}
TMSShipmentStatusEvent = {*_id text, *id text, *eventId text, *shipmentId text, *eventType FreightEvent,
  *eventTime moment, statusInfo StatusInfo, locationInfo LocationInfo, etaInfo EtaInfo,
  exceptionInfo ExceptionInfo, source FreightSource, createdAt moment}
CarrierState = ACTIVE|INACTIVE|PENDING_APPROVAL|SUSPENDED
CarrierType = AIR|COURIER|FTL|INTERMODAL|LTL|OCEAN|PARCEL|RAIL
EtaInfo = {previousETA moment, newETA moment, delayMinutes number}
ExceptionInfo = {exceptionType text, severity CRITICAL|HIGH|LOW|MEDIUM, description text, resolution text}
FreightDelay = CARRIER|CUSTOMS|MECHANICAL|OTHER|TRAFFIC|WEATHER
FreightEvent = DELAY|ETA_UPDATE|EXCEPTION|LOCATION_UPDATE|MILESTONE|STATUS_CHANGE
FreightSource = API|CARRIER_PORTAL|EDI|GPS|MANUAL
FreightState = ACCEPTED|CANCELLED|DELAYED|DELIVERED|EXCEPTION|IN_TRANSIT|OUT_FOR_DELIVERY|PICKED_UP|PLANNED|
  TENDERED
FreightStop = {*locationName text, *address {*city text, *state text, street1 text, postalCode text,
  country text}, locationId text, coordinates Position, contactName text, contactPhone text}
FreightType = INBOUND|OUTBOUND|RETURN|TRANSFER
LocationInfo = {latitude number, longitude number, city text, state text, zipCode text, facility text}
Position = {latitude number, longitude number}
ServiceLevel = ECONOMY|EXPEDITED|NEXT_DAY|STANDARD|TWO_DAY
StatusInfo = {previousStatus text, newStatus text}
"""

OPERATIONS = """
GET tms/carriers 200 undeclared ! 400 500
  ? {carrierType CarrierType, serviceRegion text, smartWayCertified flag, limit count, cursor text}
POST tms/carriers 200 undeclared ! 400 500
  < {*carrierCode text, *carrierName text, *carrierType CarrierType, status CarrierState, contact
    {primaryContactName text, email text, phone text, address {street text, city text, state text,
    zipCode text, country text}}, compliance {dotNumber text, mcNumber text, scacCode text,
    smartWayCertified flag, insuranceExpiry moment,
    safetyRating CONDITIONAL|NOT_RATED|SATISFACTORY|UNSATISFACTORY}, performance {onTimeDeliveryRate number,
    damageClaimRate number, totalShipmentsCompleted integer}, serviceRegions [text], customFields object}
GET tms/carriers/code/{carrierCode} 200 undeclared ! 404 500
GET tms/carriers/id/{carrierId} 200 undeclared ! 404 500
GET tms/carriers/performance 200 undeclared ! 400 500
  ? {minOnTimeRate number, maxDamageRate number, maxTransitTime number, carrierType CarrierType,
    limit count, cursor text}
GET tms/carriers/search 200 undeclared ! 400 500
  ? {*searchTerm text, carrierType CarrierType, status CarrierState, serviceRegion text, limit count,
    cursor text}
GET tms/carriers/{carrierId}/metrics 200 undeclared ! 400 404 500
PUT tms/carriers/{carrierId}/performance 200 undeclared ! 400 404 500
  < {onTimeDeliveryRate number, damageClaimRate number, averageTransitTime number,
    totalShipmentsCompleted integer}
PUT tms/carriers/{carrierId}/status 200 undeclared ! 400 404 500
  < {*status CarrierState}
GET tms/shipments 200 page TMSShipment ! 400 500
  ? {*status text, carrierId text, from moment, to moment, shipmentType FreightType, limit count,
    cursor text}
POST tms/shipments 201 item TMSShipment ! 400 500
  < {*shipmentNumber text, *origin FreightStop, *destination FreightStop, shipmentType FreightType,
    serviceLevel ServiceLevel, dates {plannedPickupDate moment, plannedDeliveryDate moment}, cargo
    {totalWeight number, totalWeightUOM text, totalVolume number, totalVolumeUOM text, palletCount integer,
    packageCount integer, commodityType text, hazmat flag, temperatureControlled flag}, references
    {orderId text, purchaseOrderNumber text, customerReference text}, laneId text}
GET tms/shipments/carrier/{carrierId} 200 page TMSShipment ! 500
  ? {from moment, to moment, limit count, cursor text}
GET tms/shipments/in-transit 200 page TMSShipment ! 500
  ? {limit count, cursor text}
GET tms/shipments/{shipmentId} 200 item {shipment TMSShipment, events [TMSShipmentStatusEvent]} ! 404 500
PUT tms/shipments/{shipmentId}/accept 200 item TMSShipment ! 404 500
  < {proNumber text, trackingNumber text, estimatedPickupDate moment}
POST tms/shipments/{shipmentId}/delays 200 item TMSShipment ! 400 500
  < {*delayType FreightDelay, *reason text, startTime moment, estimatedDelay number, endTime moment}
POST tms/shipments/{shipmentId}/edi214 200 item TMSShipment ! 400
  < {*status text, *rawEdiData object, locationCode text, city text, state text, timestamp moment,
    equipmentId text, estimatedDeliveryDate moment}
POST tms/shipments/{shipmentId}/events 201 item TMSShipmentStatusEvent ! 400 500
  < {*eventType FreightEvent, *eventTime moment, statusInfo StatusInfo, locationInfo LocationInfo,
    etaInfo EtaInfo, exceptionInfo ExceptionInfo, source FreightSource, rawData object}
PUT tms/shipments/{shipmentId}/location 200 item TMSShipment ! 400 500
  < {*latitude number, *longitude number, city text, state text, timestamp moment,
    source CARRIER_PORTAL|EDI|GPS|MANUAL}
PUT tms/shipments/{shipmentId}/status 200 item TMSShipment ! 400 500
  < {*status FreightState, timestamp moment, location text, note text, source text}
PUT tms/shipments/{shipmentId}/tender 200 item TMSShipment ! 400 404 500
  < {*carrierId text, *carrierName text, *carrierCode text, *scacCode text}
"""
