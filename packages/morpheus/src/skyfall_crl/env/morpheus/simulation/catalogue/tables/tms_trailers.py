"""Inbound trailers and free dock doors, in the notation of `catalogue.grammar`."""

KINDS = """
TMSInboundTrailer = {*_id text, *trailerId text, *trailerNumber text, *status TrailerState, *appointmentInfo
  {appointmentId text, scheduledArrival moment, scheduledDeparture moment, estimatedArrival moment,
  actualArrival moment, actualDeparture moment, dockDoor text}, *facilityInfo {dcId text, facilityName text,
  address {street text, city text, state text, zipCode text}}, *worldRef {worldId text, dcId text},
  *createdAt moment, *updatedAt moment, id text, carrierInfo Driver, shipmentIds [text], cargo
  {purchaseOrders [text], expectedPallets integer, actualPallets integer, trailerType TrailerType,
  sealNumber text}, delays [{delayType CARRIER|DOCK_AVAILABILITY|OTHER|TRAFFIC|WEATHER, reason text,
  reportedAt moment, estimatedDelay integer}], customFields object}
Driver = {carrierId text, carrierName text, driverName text, driverPhone text}
TrailerState = AT_DOCK|CANCELLED|CHECKED_IN|DELAYED|DEPARTED|EN_ROUTE|SCHEDULED|UNLOADED|UNLOADING
TrailerType = DRY_VAN|FLATBED|INTERMODAL|REEFER|TANKER
"""

OPERATIONS = """
GET tms/dock-doors/available 200 list text ! 400 500
  ? {*dcId text, *startTime moment, *endTime moment}
GET tms/trailers 200 page TMSInboundTrailer ! 400
  ? {*status text, carrierId text, dcId text, from moment, to moment, limit count, cursor text}
POST tms/trailers 201 item TMSInboundTrailer ! 400 500
  < {*trailerNumber text, *appointmentInfo {*scheduledArrival moment, scheduledDeparture moment,
    dockDoor text}, *facilityInfo {*dcId text, facilityName text}, trailerId text, carrierInfo Driver, cargo
    {purchaseOrders [text], expectedPallets integer, trailerType TrailerType, sealNumber text}}
GET tms/trailers/appointments 200 page TMSInboundTrailer ! 400 500
  ? {*dcId text, appointmentDate moment, limit count, cursor text}
GET tms/trailers/{trailerId} 200 item TMSInboundTrailer ! 404 500
POST tms/trailers/{trailerId}/assign-dock 200 item TMSInboundTrailer ! 400 404
  < {*dockDoor text}
POST tms/trailers/{trailerId}/checkin 200 item TMSInboundTrailer ! 400 404
  < {*actualArrival moment, driverName text, driverPhone text, sealNumber text, dockDoor text}
POST tms/trailers/{trailerId}/complete-unloading 200 item TMSInboundTrailer ! 400 404
  < {*completionTime moment, actualPallets integer}
POST tms/trailers/{trailerId}/delays 200 item TMSInboundTrailer ! 400 404
  < {*delayType CARRIER|DOCK_AVAILABILITY|MECHANICAL|OTHER|REGULATORY|TRAFFIC|WEATHER, *reason text,
    *reportedAt moment, estimatedDelay integer}
POST tms/trailers/{trailerId}/schedule 200 item TMSInboundTrailer ! 404
  < {*scheduledArrival moment, *dcId text, appointmentId text, scheduledDeparture moment, dockDoor text,
    facilityName text}
POST tms/trailers/{trailerId}/start-unloading 200 item TMSInboundTrailer ! 404
PUT tms/trailers/{trailerId}/status 200 item TMSInboundTrailer ! 400 404
  < {*status TrailerState, actualArrival moment, actualDeparture moment, estimatedArrival moment,
    dockDoor text}
"""
