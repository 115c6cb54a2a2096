import { windows } from '../../api/access/rate-limit.ts';
import { retentionOf } from '../../api/access/sliding-window.ts';

/** Milliseconds without an exchange after which a process no longer counts as one that shares the limits. */
const processTimeout = 60_000;

/**
 * How long the counts in Redis are treated as incomplete, in milliseconds; meanwhile each process decides by itself about requests. `lost`: Redis has
 * lost its counts; until all requests from before have left the minute window. `countedLocally`: a process could not reach Redis and has counted
 * locally, and others may have too; long enough for all of them to reconnect and add their counts.
 */
export const incompleteTimes = { lost: retentionOf(windows.minute), countedLocally: 5_000 } as const;

/** Maximum number of entries in the log, and of entries that one exchange reads. An entry is what one process admitted between two exchanges. */
const maxLogged = 2_000;
const maxRead = 200;

/**
 * A Redis script: one exchange of a process with the others that share rate limits. limit-sync.ts runs it many times a second. Each process tells the others
 * what it has admitted, so that all of them can go on counting locally when Redis is lost. The counts themselves are written by limit-script.ts.
 * KEYS: the state of the counts (a hash of `epoch` and `until`), the sorted set of processes by the time of their last exchange, and the log (a
 * stream) of admitted requests. `epoch`: the ID of the counts; Redis has none when it is new or has lost its data, and the first process that comes
 * then sets one. `until`: the time until which the counts are incomplete, see `incompleteTimes`.
 * ARGV: id of this process, the epoch it knows (empty if none), a new epoch to use if Redis has none, `1` if it admitted requests while Redis
 * was unreachable, the last log entry it has read (empty if none), what it admitted since the last exchange (empty if nothing), and both
 * `incompleteTimes`.
 * Returns the epoch, 1 if the counts are incomplete, the number of processes, the last log entry read, and what others admitted (as they sent it).
 */
export const syncScript = `
local state, processes, log = KEYS[1], KEYS[2], KEYS[3]
local id, known, newEpoch, countedLocally, cursor, admitted, lostTime, countedLocallyTime = unpack(ARGV)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local epoch = redis.call('HGET', state, 'epoch')
if not epoch then
  epoch = newEpoch
  redis.call('HSET', state, 'epoch', epoch)
end
local before = tonumber(redis.call('HGET', state, 'until') or 0)
local incompleteUntil = before
if known ~= '' and known ~= epoch then
  -- This process knows counts that Redis has lost, and entries of a log that is gone.
  cursor = ''
  incompleteUntil = math.max(before, now + lostTime)
elseif countedLocally == '1' then
  incompleteUntil = math.max(before, now + countedLocallyTime)
end
if incompleteUntil ~= before then redis.call('HSET', state, 'until', incompleteUntil) end
local incomplete = incompleteUntil > now

redis.call('ZADD', processes, now, id)
redis.call('ZREMRANGEBYSCORE', processes, '-inf', now - ${processTimeout})

if admitted ~= '' then
  redis.call('XADD', log, 'MAXLEN', '~', ${maxLogged}, '*', 'by', id, 'admitted', admitted)
  redis.call('PEXPIRE', log, ${2 * processTimeout})
end
-- A process without a cursor reads what was admitted within the last minute window.
if cursor == '' then cursor = string.format('%.0f-0', now - ${retentionOf(windows.minute)}) end
local others = {}
local read = redis.call('XREAD', 'COUNT', ${maxRead}, 'STREAMS', log, cursor)
for _, entry in ipairs(read and read[1][2] or {}) do
  cursor = entry[1]
  if entry[2][2] ~= id then others[#others + 1] = entry[2][4] end
end
return { epoch, incomplete and 1 or 0, redis.call('ZCARD', processes), cursor, others }
`;
