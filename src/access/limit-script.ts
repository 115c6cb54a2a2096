import { forgetAfter, patience, spans } from './window.ts';

/**
 * `judge` of window.ts as Redis runs it: one script per request, so nothing comes between reading and counting. KEYS: the client, and the
 * state of all counts (see sync-script.ts). ARGV: weight, limit of the minute, limit of the day, the time in milliseconds, empty for Redis's
 * own clock, and the epoch of the counts, empty to count what a process has admitted already.
 * A client is a hash: `at`, the totals `m` and `d`, one field for each bucket that holds something (`m29911985`, `d5982397`), `r`, `ra` and
 * `s` for its refusals, the last of them and the end of its shut-out. It expires when nothing of it counts. The value of a bucket is its
 * count times its width plus the time of its last request, from where the bucket begins: one number, at most 3e14.
 * Answers: left in the minute, left in the day, milliseconds to wait (0: admitted), whether it is shut out. Answers nothing, and counts
 * nothing, if the counts are of another epoch or incomplete.
 */
export const limitScript = `
local key, weight, perMinute, perDay, now = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local forced = ARGV[5] == ''
if not forced then
  local state = redis.call('HMGET', KEYS[2], 'epoch', 'until')
  if state[1] ~= ARGV[5] or tonumber(state[2] or 0) > now then return {} end
end

local m, d
local function known()
  m, d = math.floor(now / ${spans.minute.bucket}), math.floor(now / ${spans.day.bucket})
  local held = redis.call('HMGET', key, 'at', 'm', 'd', 'r', 'ra', 's', 'm' .. m, 'd' .. d,
    'm' .. (m - ${spans.minute.buckets}), 'd' .. (d - ${spans.day.buckets}))
  for i = 1, 10 do held[i] = tonumber(held[i] or 0) end
  return unpack(held)
end
-- The last four: the newest and the oldest bucket of each window.
local at, minute, day, refused, refusedAt, shutUntil, newestMinute, newestDay, oldestMinute, oldestDay = known()
if at > now then
  if at - now > ${forgetAfter} then redis.call('DEL', key) else now = at end
  at, minute, day, refused, refusedAt, shutUntil, newestMinute, newestDay, oldestMinute, oldestDay = known()
end

local function fields(letter, from, to)
  local names = {}
  for bucket = from, to do names[#names + 1] = letter .. bucket end
  return names
end

local function settle(letter, total, width, buckets, oldestHeld)
  if total == 0 then return 0 end
  local before, oldest = math.floor(at / width), math.floor(now / width) - buckets
  local last = math.min(before, oldest - 1)
  -- Of the oldest bucket in the window, all may be a whole window ago.
  if oldestHeld > 0 and oldestHeld % width <= now % width then last = oldest end
  local gone = fields(letter, before - buckets, last)
  if #gone == 0 then return total end
  for _, held in ipairs(redis.call('HMGET', key, unpack(gone))) do total = total - math.floor((held or 0) / width) end
  redis.call('HDEL', key, unpack(gone))
  return total
end
minute = settle('m', minute, ${spans.minute.bucket}, ${spans.minute.buckets}, oldestMinute)
day = settle('d', day, ${spans.day.bucket}, ${spans.day.buckets}, oldestDay)

local function waitFor(letter, total, width, buckets, limit)
  local excess = total + weight - limit
  -- No window makes anyone wait longer than it is, so a longer shut-out spares the look: whoever hammers costs little.
  if excess <= 0 or shutUntil - now >= buckets * width then return 0 end
  local newest = math.floor(now / width)
  local oldest = newest - buckets
  for i, held in ipairs(redis.call('HMGET', key, unpack(fields(letter, oldest, newest)))) do
    excess = excess - math.floor((held or 0) / width)
    if excess <= 0 then return (oldest + i - 1 + buckets) * width + held % width - now end
  end
  return buckets * width
end
local wait = forced and 0 or math.max(
  waitFor('m', minute, ${spans.minute.bucket}, ${spans.minute.buckets}, perMinute),
  waitFor('d', day, ${spans.day.bucket}, ${spans.day.buckets}, perDay),
  shutUntil - now)

local function refuse()
  if now - refusedAt >= ${patience.forgiven} then refused = 0 end
  refused = refused + 1
  refusedAt = now
  local times = math.floor((refused - 1) / math.max(${patience.least}, math.ceil(perMinute / ${patience.share})))
  if times == 0 then return end
  local shutOut = ${patience.shutOut}
  while times > 1 and shutOut < ${patience.longest} do
    shutOut = shutOut * 2
    times = math.floor(times / 2)
  end
  shutUntil = math.max(shutUntil, now + math.min(shutOut, ${patience.longest}))
  wait = math.max(wait, shutUntil - now)
end

local counted = {}
if weight == 0 then
  wait = 0
elseif wait > 0 then
  refuse()
else
  wait = 0
  minute = minute + weight
  day = day + weight
  local function bucket(held, width) return (math.floor(held / width) + weight) * width + now % width end
  counted = { 'm' .. m, bucket(newestMinute, ${spans.minute.bucket}), 'd' .. d, bucket(newestDay, ${spans.day.bucket}) }
end
redis.call('HSET', key, 'at', now, 'm', minute, 'd', day, 'r', refused, 'ra', refusedAt, 's', shutUntil, unpack(counted))
redis.call('PEXPIRE', key, ${forgetAfter})
return { math.max(0, perMinute - minute), math.max(0, perDay - day), wait, shutUntil > now and 1 or 0 }
`;
