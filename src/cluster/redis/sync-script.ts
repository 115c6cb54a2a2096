import { windows } from '../../api/access/rate-limit.ts';
import { retentionOf } from '../../api/access/sliding-window.ts';

/** Milliseconds without an exchange after which a process is no longer counted. */
const processTimeout = 60_000;

/**
 * How long the counts are treated as incomplete, in milliseconds. `lost`: Redis lost its counts; until everything they held has left the
 * minute window. `countedLocally`: a process has counted locally, and others may have; long enough for all of them to reconnect and add
 * their counts.
 */
export const incompleteTimes = { lost: retentionOf(windows.minute), countedLocally: 5_000 } as const;

/** Maximum number of batches in the log, and of batches that one exchange reads. */
const maxLogged = 2_000;
const maxRead = 200;

/**
 * One exchange of a process with the others that share the limits.
 * KEYS: the state (a hash of `epoch`, which identifies the counts, and `until`, the time until which they are incomplete), the sorted set of
 * processes by the time of their last exchange, and the log (a stream) of admitted requests.
 * ARGV: id of this process, the epoch it knows (empty if none), a new epoch to use if Redis has none, `1` if it admitted requests while Redis
 * was unreachable, the last log entry it has read (empty if none), what it admitted since the last exchange (empty if nothing), and both
 * `incompleteTimes`.
 * Returns the epoch, whether the counts are incomplete, the number of processes, the last log entry read, and what others admitted.
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
if cursor == '' then cursor = string.format('%.0f-0', now - ${retentionOf(windows.minute)}) end
local others = {}
local read = redis.call('XREAD', 'COUNT', ${maxRead}, 'STREAMS', log, cursor)
for _, entry in ipairs(read and read[1][2] or {}) do
  cursor = entry[1]
  if entry[2][2] ~= id then others[#others + 1] = entry[2][4] end
end
return { epoch, incomplete and 1 or 0, redis.call('ZCARD', processes), cursor, others }
`;
