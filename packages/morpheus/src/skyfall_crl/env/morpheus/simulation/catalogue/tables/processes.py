"""Operational descriptors, their schedules and the knowledge graph, in the notation of `catalogue.grammar`."""

KINDS = """
Repetition = once|recurring
SchedulePause = {message text, jobId text, nextRunAt moment, disabled flag}
"""

OPERATIONS = """
POST od 200 item none
  ? {*odName simple-edi|simple-wms}
POST od/bulk-schedule 200 undeclared
  < {*schedules [{*odId text, *type Repetition, time moment, interval text, metadata object}]}
GET od/descriptors 200 page object
  ? {odType background_job|standard|workflow, name text, cursor text, limit count = 50}
POST od/descriptors 201 item object ! 207
  < {*data object, schedule {type Repetition, time moment, interval text}}
DELETE od/descriptors/{odId} 200 item {message text, cancelledSchedules integer}
GET od/descriptors/{odId} 200 item object ! 404
PUT od/descriptors/{odId} 200 item object
  < {data object}
POST od/descriptors/{odId}/execute 200 item object
  < {context object}
POST od/descriptors/{odId}/schedule 201 item {jobId text, nextRunAt moment, type text}
  < {*type Repetition, time moment, interval text, metadata object}
GET od/descriptors/{odId}/schedules 200 list {jobId text, nextRunAt moment, lastRunAt moment, interval text,
    isRecurring flag, lastRunResult object, data object}
DELETE od/descriptors/{odId}/schedules/{jobId} 200 item {message text, cancelled flag}
PUT od/descriptors/{odId}/schedules/{jobId} 200 item {jobId text, newScheduledTime moment,
    previousTime moment}
  < {*newTime moment}
PUT od/descriptors/{odId}/schedules/{jobId}/pause 200 item SchedulePause
PUT od/descriptors/{odId}/schedules/{jobId}/resume 200 item SchedulePause
GET od/descriptors/{odId}/with-schedules 200 item object
PUT od/schedules/pause 200 item {message text, count integer}
PUT od/schedules/resume 200 item {message text, count integer}
GET od/schedules/status 200 item {status operational|partial|paused}
POST od/validate 200 item {isValid flag, errors [text], warnings [text]} ! 400
  < object
GET knowledge-graph 200 item {*nodes [{*id text, *type CAPABILITY|ENTITY|OD|PERSONA|SERVICE|TOOL,
    *label text, metadata object}], *edges [{*from text, *to text,
    *type can_perform|exposed_by|implemented_by|modifies|produces|requires|uses, metadata object}], *stats
    {totalNodes integer, totalEdges integer, nodesByType {PERSONA integer, CAPABILITY integer, OD integer,
    TOOL integer, SERVICE integer, ENTITY integer}}, *filtered flag, seedODs [text], message text} ! 404 500
"""
