import { memoryOf } from './sliding-window.ts';
import { spans } from './window.ts';

/** Milliseconds after which a process that was not heard of is no longer counted. */
const processLife = 60_000;

/**
 * How long counts are taken for incomplete, in milliseconds. `lost`: they are gone, so until all they held has left the shorter window.
 * `kept`: a process has counted alone, and others may have; long enough for all of them to find Redis again and have it count that.
 */
export const settleTimes = { lost: memoryOf(spans.minute), kept: 5_000 } as const;

/** Batches that Redis holds at most, and that one exchange reads. */
const maxLogged = 2_000;
const maxRead = 200;

/**
 * One exchange of a process with the others that share the limits. KEYS: the state (a hash of `epoch`, which names the counts, and `until`,
 * before which they are incomplete), the processes by the time they were last heard of, the log of what was admitted. ARGV: this process,
 * the epoch it knows (empty: none), one to begin if there is none, `1` if it admitted requests while Redis was out of reach, the last entry
 * of the log it has read (empty: none), what it admitted since (empty: nothing), and both settle times.
 * Answers: epoch, whether counts are incomplete, number of processes, last entry, what others admitted.
 */
export const syncScript = `
local state, processes, log = KEYS[1], KEYS[2], KEYS[3]
local id, known, fresh, alone, cursor, admitted, lostTime, keptTime = unpack(ARGV)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local epoch = redis.call('HGET', state, 'epoch')
if not epoch then
  epoch = fresh
  redis.call('HSET', state, 'epoch', epoch)
end
local before = tonumber(redis.call('HGET', state, 'until') or 0)
local settled = before
if known ~= '' and known ~= epoch then
  cursor = ''
  settled = math.max(before, now + lostTime)
elseif alone == '1' then
  settled = math.max(before, now + keptTime)
end
if settled ~= before then redis.call('HSET', state, 'until', settled) end
local incomplete = settled > now

redis.call('ZADD', processes, now, id)
redis.call('ZREMRANGEBYSCORE', processes, '-inf', now - ${processLife})

if admitted ~= '' then
  redis.call('XADD', log, 'MAXLEN', '~', ${maxLogged}, '*', 'by', id, 'admitted', admitted)
  redis.call('PEXPIRE', log, ${2 * processLife})
end
if cursor == '' then cursor = string.format('%.0f-0', now - ${memoryOf(spans.minute)}) end
local others = {}
local read = redis.call('XREAD', 'COUNT', ${maxRead}, 'STREAMS', log, cursor)
for _, entry in ipairs(read and read[1][2] or {}) do
  cursor = entry[1]
  if entry[2][2] ~= id then others[#others + 1] = entry[2][4] end
end
return { epoch, incomplete and 1 or 0, redis.call('ZCARD', processes), cursor, others }
`;
