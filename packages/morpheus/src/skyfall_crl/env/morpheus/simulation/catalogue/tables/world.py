"""Worlds, their chaos, and what the deployment says of itself, in the notation of `catalogue.grammar`."""

KINDS = """
ChaosPolicy = {*enabled flag, *probability number, *scenarios [ChaosScenario], seed text,
  persistCorruptedData flag = false}
ChaosScenario = {*type data_corruption|dependency_failure|duplicate_data|format_change|invalid_state|
  missing_data|partial_data|permission_denied|rate_limit|stale_data|timing_issue, *weight number,
  *description text, *config object}
World = {*_id text, *name text, *url text, *createdAt moment, *updatedAt moment, *is_default flag = false,
  apiKey text, apiSecret text, description text, layout text, mpcCompany text,
  realHoursPerSimDay number = 2, samplingStrategy SamplingStrategy, capabilityIds [text], personas Personas,
  chaos ChaosPolicy, ticketCreationEnabled flag = true}
ChaosSetting = {enabled flag, probability number, scenarios [ChaosScenario], seed text,
  persistCorruptedData flag, processChaosEnabled flag, infraChaosEnabled flag, realHoursPerSimDay number,
  simulation object}
LayoutSummary = {id text, name text, description text, shortDescription text}
Personas = {allowedPersonas [text], personaOverrides object}
SamplingStrategy = {*type "all"} / {*type "filter", *filter {domain [text],
  complexity complex|medium|simple, services [text], personas [text], patterns [text]}} / {*type "random",
  *count integer, seed integer} / {*type "seeded", *count integer, *seed integer}
"""

OPERATIONS = """
GET /world 200 item {*worlds [World], nextCursor text?} ! 500
  ? {is_default flag, mpcCompany text, search text, cursor text, limit count = 20}
POST /world 200 bare {world World, mainCompany ERPCompany, npcCompanies [ERPCompany],
    productsForMpc [ERPProduct], seedResult object?, capabilities {samplingType text, count integer,
    ids [text], validationWarnings [object]}} ! 400 500
  ? {stream flag = false}
  < {*name text, *layout text?, url text, description text, is_default flag, apiKey text, apiSecret text,
    mpcCompany text, realHoursPerSimDay number, chaos {processChaosEnabled flag, infraChaosEnabled flag}}
POST /world/act 200 bare object ! 400 500
  < {*path text, method text, params object, query object, body object}
GET /world/layouts 200 list LayoutSummary
GET /world/layouts/{layoutId} 200 item {id text, name text, description text, shortDescription text,
    docs object}
DELETE /world/{worldId} 200 item {success flag} ! 400 404 500
GET /world/{worldId} 200 item World ! 400 404 500
PATCH /world/{worldId} 200 item World ! 400 404 500
  < {name text, description text, is_default flag, layout text, realHoursPerSimDay number,
    samplingStrategy SamplingStrategy, capabilityIds [text], personas Personas, chaos ChaosPolicy,
    ticketCreationEnabled flag}
GET /world/{worldId}/capabilities 200 item {*worldId text, *worldName text,
    *samplingStrategy SamplingStrategy, *count integer, *capabilityIds [text], *capabilities [{id text,
    name text, description text, domain text, odId text, tags object}]} ! 400 404 500
DELETE /world/{worldId}/chaos 200 item {*worldId text, *message text} ! 400 404 500
GET /world/{worldId}/chaos 200 item {*worldId text, *worldName text, *chaos ChaosPolicy} ! 400 404 500
PUT /world/{worldId}/chaos 200 item {*worldId text, *chaos ChaosPolicy, *message text} ! 400 404 500
  < ChaosSetting
POST /world/{worldId}/reset 200 item {success flag, message text, seedResult object} ! 400 404 500
GET /chaos/presets 200 list {id text, name text, description text} ! 500
GET /chaos/presets/{id} 200 item object ! 400 404 500
GET /chaos/status 200 item {enabled flag, activePreset text?, stats {presetCount integer,
    worldPolicyCount integer, capabilityOverrideCount integer, odOverrideCount integer}} ! 500
GET /docs 200 undeclared
GET /docs/mesh 200 bare {service text, filters {action text, method text}, count number,
    endpoints [{path text, method text, summary text, formatted text}]}
  ? {*service text, action text, method delete|get|patch|post|put, includeExamples flag = true}
GET /docs/swagger.json 200 bare object
"""
