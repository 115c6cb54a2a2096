import { clientStateLife, lockout, windows } from '../../api/access/rate-limit.ts';

/**
 * `checkAndCount` of rate-limit.ts as a Redis script: the rate limit of one client, counted for all processes that share Redis. Redis runs a script
 * atomically, so no other request comes between reading and counting. It has two callers:
 * - limiter-redis.ts decides about each request with it. It names the epoch: the ID of the counts, which is a new one after Redis has lost its data.
 * - limit-sync.ts adds requests that a process has admitted by itself, while Redis was unreachable or its counts were incomplete. Then the epoch is
 *   empty, both limits are 0, and nothing is decided.
 * KEYS: the client, and the state of all counts: a hash that sync-script.ts writes, of `epoch` and `until`, the time until which the counts are
 * incomplete (Redis has lost its data, or a process has not added yet what it admitted by itself).
 * ARGV: the weight, the minute limit, the day limit, the time in milliseconds (empty: the clock of Redis; only tests name one), and the epoch.
 * A client is a hash: `at` (time of the last request), the totals `m` and `d`, one field for each bucket that is not empty (`m29911985`,
 * `d5982397`), `r` (number of refusals), `ra` (time of the last refusal) and `s` (end of the lockout). It expires when all its counts have left
 * the windows. The value of a bucket is its count times its width, plus the time of its last request relative to the start of the bucket: one
 * number, at most 3e14.
 * Returns five numbers: what is left in the minute, what is left in the day, the milliseconds until a request of the same weight would be admitted,
 * 1 if the client is locked out, 1 if this request is admitted.
 * Returns an empty list, and counts nothing, if Redis has another epoch or `until` is not over: the process must then decide by itself. Without an
 * epoch the list is empty too, after the request was counted.
 */
export const limitScript = `
local key, weight, perMinute, perDay, now = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local alreadyAdmitted = ARGV[5] == ''
if not alreadyAdmitted then
  local state = redis.call('HMGET', KEYS[2], 'epoch', 'until')
  if state[1] ~= ARGV[5] or tonumber(state[2] or 0) > now then return {} end
end

-- Numbers of the buckets of now, in the minute and in the day window.
local m, d
local function readClient()
  m, d = math.floor(now / ${windows.minute.bucketMilliseconds}), math.floor(now / ${windows.day.bucketMilliseconds})
  local held = redis.call('HMGET', key, 'at', 'm', 'd', 'r', 'ra', 's', 'm' .. m, 'd' .. d,
    'm' .. (m - ${windows.minute.buckets}), 'd' .. (d - ${windows.day.buckets}))
  for i = 1, 10 do held[i] = tonumber(held[i] or 0) end
  return unpack(held)
end
-- The last four: the newest and the oldest bucket of each window.
local at, minute, day, refused, refusedAt, lockedUntil, newestMinute, newestDay, oldestMinute, oldestDay = readClient()
-- The clock was set back. By little: the time of the last request is used until the clock has caught up. By more than the counts are stored: the
-- earlier times were wrong, so the client is forgotten.
if at > now then
  if at - now > ${clientStateLife} then redis.call('DEL', key) else now = at end
  at, minute, day, refused, refusedAt, lockedUntil, newestMinute, newestDay, oldestMinute, oldestDay = readClient()
end

local function fields(letter, from, to)
  local names = {}
  for bucket = from, to do names[#names + 1] = letter .. bucket end
  return names
end

-- Deletes the buckets that have left a window, and returns what is left of its total. Stored buckets are those of the window that ended with the
-- last request (at): newest - buckets to newest.
local function dropExpired(letter, total, width, buckets, oldestHeld)
  if total == 0 then return 0 end
  local newest, oldestNow = math.floor(at / width), math.floor(now / width) - buckets
  local lastExpired = math.min(newest, oldestNow - 1)
  -- The last request of the oldest bucket may be a whole window ago already.
  if oldestHeld > 0 and oldestHeld % width <= now % width then lastExpired = oldestNow end
  local expired = fields(letter, newest - buckets, lastExpired)
  if #expired == 0 then return total end
  for _, held in ipairs(redis.call('HMGET', key, unpack(expired))) do total = total - math.floor((held or 0) / width) end
  redis.call('HDEL', key, unpack(expired))
  return total
end
minute = dropExpired('m', minute, ${windows.minute.bucketMilliseconds}, ${windows.minute.buckets}, oldestMinute)
day = dropExpired('d', day, ${windows.day.bucketMilliseconds}, ${windows.day.buckets}, oldestDay)

-- Milliseconds until the weight fits into the limit of a window: its oldest buckets must leave it first.
local function waitUntilRoom(letter, total, width, buckets, limit)
  local excess = total + math.max(1, weight) - limit
  -- A window never makes a client wait longer than its own length, so a longer lockout makes reading the buckets unnecessary.
  if excess <= 0 or lockedUntil - now >= buckets * width then return 0 end
  local newest = math.floor(now / width)
  local oldest = newest - buckets
  for i, held in ipairs(redis.call('HMGET', key, unpack(fields(letter, oldest, newest)))) do
    excess = excess - math.floor((held or 0) / width)
    if excess <= 0 then return (oldest + i - 1 + buckets) * width + held % width - now end
  end
  return buckets * width
end
local function waitNow()
  return math.max(
    waitUntilRoom('m', minute, ${windows.minute.bucketMilliseconds}, ${windows.minute.buckets}, perMinute),
    waitUntilRoom('d', day, ${windows.day.bucketMilliseconds}, ${windows.day.buckets}, perDay),
    lockedUntil - now,
    0)
end
local admitted = alreadyAdmitted or weight == 0 or waitNow() == 0

local counted = {}
if not admitted then
  if now - refusedAt >= ${lockout.resetAfter} then refused = 0 end
  refused = refused + 1
  refusedAt = now
  if refused > math.max(${lockout.minFree}, math.ceil(perMinute / ${lockout.freeShare})) then lockedUntil = now + ${lockout.duration} end
elseif weight > 0 then
  minute = minute + weight
  day = day + weight
  local function bucket(held, width) return (math.floor(held / width) + weight) * width + now % width end
  counted = { 'm' .. m, bucket(newestMinute, ${windows.minute.bucketMilliseconds}), 'd' .. d, bucket(newestDay, ${windows.day.bucketMilliseconds}) }
end
redis.call('HSET', key, 'at', now, 'm', minute, 'd', day, 'r', refused, 'ra', refusedAt, 's', lockedUntil, unpack(counted))
redis.call('PEXPIRE', key, ${clientStateLife})
if alreadyAdmitted then return {} end
return { math.max(0, perMinute - minute), math.max(0, perDay - day), waitNow(), lockedUntil > now and 1 or 0, admitted and 1 or 0 }
`;
