import type { ResourceRow } from './resource-table.ts';

/** What callers of the HTTP ports can make grow. */
export const requestResources: readonly ResourceRow[] = [
  {
    resource: 'open HTTP connections; each has one request at a time',
    limit:
      'three quarters of the file handles of the process (`ulimit -n`), half of that for one address (IPv6: /64); a connection without traffic is closed after `--http-idle-timeout`',
    over: 'the connection that was idle longest is closed (on Linux; elsewhere the kernel does not accept more); the check `connections` fails while the total is reached',
    seen: 'connections',
    test: 'test/file-handles.test.ts',
    holds: [
      'app/platform/node/serve.ts open running ofGroup',
      'app/platform/connection-limit.ts lineAt',
      'base/timing/bounded-wait.ts waiting',
      'api/rest/response-cache.ts running',
      'cluster/redis/limiter-redis.ts inFlight',
      'base/timing/long-work.ts waiting',
      'base/timing/slots.ts waiting running',
      'chain/follow/tracker.ts waiters',
      'chain/follow/rpc.ts pending',
      'cluster/postgres/statement-joiner.ts waiting',
      'ledger/index-read/read-holders.ts running',
    ],
  },
  {
    resource: 'bytes of request bodies in memory, of one port and process',
    limit:
      '{app/servers/serve-options.ts#maxBodyMemory} in total; one body {api/http/router.ts#defaultMaxBody} bytes, {api/http/node-routes.ts#maxTxBody} on paths that take transactions, {api/rest/request-texts.ts#maxBody} bytes on routes of the Data API',
    over: '503 above the total, 413 for a larger body',
    seen: 'serac_route_requests_total',
    test: 'test/request-memory.test.ts',
    holds: ['app/platform/body-buffer.ts fullBlocks'],
  },
  {
    resource: 'sessions of `serac mcp` over HTTP, and requests of a session at a time',
    limit:
      '{api/mcp/http-sessions.ts#maxSessions}, each until {api/mcp/http-sessions.ts#sessionIdle ms} without a request; {api/mcp/session.ts#maxCalls}',
    over: 'the least recently used session is ended; the request is refused',
    test: 'src/api/mcp/http-sessions.test.ts',
    holds: ['api/mcp/http-sessions.ts sessions', 'api/mcp/session.ts running', 'cli/commands/mcp.ts running'],
  },
  {
    resource: 'time for a body to arrive',
    limit: '{app/platform/serve.ts#defaultBodyTimeout ms}',
    over: '408, connection closed',
    seen: 'serac_route_requests_total',
    test: 'src/app/platform/serve-bodies.test.ts',
  },
  {
    resource: 'bytes of responses that clients do not read',
    limit:
      '{app/platform/unread-responses.ts#defaultUnread.max}, {app/platform/unread-responses.ts#defaultUnread.timeout ms} without progress',
    over: 'connection closed; large responses 503 with Retry-After',
    seen: 'serac_route_requests_total',
    test: 'test/unread-clients.test.ts',
    holds: ['app/platform/unread-responses.ts waiting'],
  },
  {
    resource: 'calls of a batch, and bytes of its answer',
    limit:
      '{api/rpc/limits.ts#maxBatch} calls, {api/rpc/limits.ts#maxBatchResponse}; {app/servers/handlers.ts#maxRunningBatches} batches run at once',
    over: 'a larger batch gets an error; further batches wait',
    test: 'src/api/rpc/json-rpc.test.ts',
  },
  {
    resource: 'parameters of a call (over HTTP the body is refused first): bytes, values, nesting, items of a list',
    limit:
      '{api/rpc/limits.ts#maxParamsLength}, {api/rpc/limits.ts#maxValues} values, {api/rpc/json-scan.ts#maxDepth} levels, {api/rpc/params.ts#maxListLength} items',
    over: 'an error of the call',
    test: 'test/hostile-http.test.ts',
  },
  {
    resource: 'long queries: balances of addresses with very many outputs',
    limit: 'one runs, {api/rpc/long-queries.ts#maxWaiting} wait',
    over: '503, error AVM_BUSY, Retry-After',
    seen: 'serac_event_loop_lag_seconds',
    test: 'src/api/rpc/long-queries.test.ts',
    holds: ['api/rpc/long-queries.ts running'],
  },
  {
    resource: 'calls that reader processes forward to the writer process',
    limit: '{app/processes/relay.ts#maxPending} wait, each at most {app/processes/relay.ts#relayTimeout ms}',
    over: '503, error RELAY_BUSY, Retry-After',
    seen: 'serac_route_requests_total',
    test: 'src/app/processes/relay.test.ts',
    holds: ['app/processes/relay.ts pending all'],
  },
  {
    resource: 'clients of the event stream, and events that wait for them',
    limit:
      '{api/events/hub.ts#defaultMaxSubscribers} clients, {api/access/stream-limit.ts#maxStreamsPerClient} of one caller; {api/events/subscriber.ts#maxQueued} for one client, {api/events/hub.ts#defaultMaxHeld} for all',
    over: '503, 429; a client that does not read is closed and can resume',
    seen: 'serac_event_clients',
    test: 'src/api/events/replay.test.ts',
    holds: [
      'cluster/redis/stream-limit-redis.ts open',
      'api/access/stream-limit.ts streams',
      'api/events/audience.ts all',
      'api/events/held-events.ts queues',
      'api/events/hub-timing.ts waiting',
      'api/events/replay.ts ready',
      'api/events/subscriber.ts queue',
      'app/processes/relayed-streams.ts pending counted open',
    ],
  },
  {
    resource: 'webhooks, and their deliveries that wait',
    limit:
      '256 webhooks with 1,000 addresses each; at most 192 of them belong to API keys, 32 to one key. {api/webhooks/deliverer.ts#maxRequests} requests of {api/webhooks/message.ts#maxMessageBytes} bytes at a time, {api/webhooks/deliverer.ts#maxRequestsOfKey} for one key; {api/webhooks/deliverer.ts#reservedRequests} are reserved for the operator and {api/webhooks/deliverer.ts#reservedRequests} for keys. About 64 deliveries of a webhook wait in memory, the rest in the event log; its last 50 attempts are stored, with 128 KiB of bodies',
    over: '403 for a further webhook; deliveries wait in the log, and lost events are shown as a gap',
    seen: 'serac_webhook_deliveries_waiting',
    test: 'src/api/webhooks/deliverer.test.ts',
    holds: [
      'api/webhooks/deliverer.ts runners',
      'api/webhooks/delivery-window.ts entries',
      'api/webhooks/hook-runner.ts attempts',
      'api/webhooks/send-message.ts running',
      'api/webhooks/state-saver.ts waiting attempts',
    ],
  },
  {
    resource: 'events that wait to be sent and are not stored in the event log',
    limit: '{api/events/log-sender.ts#maxWaitingLive}',
    over: 'further ones are dropped, and clients that miss one get a `reset`',
    test: 'src/api/events/log-sender.test.ts',
    holds: ['api/events/log-sender.ts waiting missed'],
  },
  {
    resource: 'the event log in the database',
    limit:
      '{api/events/sqlite-event-log.ts#defaultMaxEntries} entries; reverted blocks {api/events/sqlite-event-log.ts#defaultMaxRevertedBytes}, {api/events/sqlite-event-log.ts#maxKeptReverts} reverts',
    over: 'older ones are not read, and the oldest reverts deleted; a client that resumes before them is told of the gap',
    seen: 'serac_store_bytes',
    test: 'src/api/events/sqlite-event-log.test.ts',
  },
  {
    resource: 'callers that are counted by the rate limits',
    limit:
      '{api/access/limiter-memory.ts#defaultMaxClients} callers in memory; {cluster/redis/limit-sync.ts#maxPending} counts wait for Redis',
    over: 'the least recently used caller is dropped; further counts are not shared, and each process limits alone',
    test: 'src/api/access/limiter-memory.test.ts',
    holds: ['cluster/redis/limit-sync.ts weights'],
  },
  {
    resource: 'series of a metric',
    limit: '{base/metrics/registry.ts#maxSeries}',
    over: 'further labels share one series',
    test: 'src/base/metrics/registry.test.ts',
  },
  {
    resource: 'requests to fetch the outputs of an address from the followed node (`serac api`, `serac index`)',
    limit:
      '{cluster/indexer/backfill-queue.ts#limits.waiting} wait, {cluster/api-server/indexer-backfill.ts#maxConcurrentRequests} of one `serac api`; {chain/follow/address-task.ts#maxDone} addresses are recorded as fetched',
    over: 'further requests are dropped and sent again; further addresses are fetched again',
    seen: 'serac_backfill',
    test: 'src/cluster/indexer/backfill-queue.test.ts',
    holds: ['cluster/indexer/backfill-queue.ts waiting inProgress pending', 'chain/follow/address-task.ts doneUntil running'],
  },
  {
    resource: 'faults, checks and impersonated addresses of `dev.*`',
    limit:
      '{api/health/forced-checks.ts#maxAdded} checks, {chain/lifecycle/impersonation.ts#maxAddresses} addresses, faults of {api/dev/call-faults.ts#faultLimits.methods} methods; {api/dev/call-faults.ts#faultLimits.delayed} calls are delayed at a time, each at most {api/dev/call-faults.ts#faultLimits.latency ms}',
    over: 'an error of the call',
    test: 'test/dev-faults.test.ts',
    holds: [
      'api/dev/call-faults.ts latencies failures',
      'api/health/forced-checks.ts messages checks added',
      'chain/lifecycle/impersonation.ts addresses',
    ],
  },
  {
    resource: 'the log of calls (`dev.calls`)',
    limit:
      '{api/contract/dev-call-methods.ts#maxLoggedCalls} calls, {api/calls/call-log.ts#maxLogBytes}, until {api/calls/call-log.ts#keptAfterRead} ms after it was last read; {api/calls/call-recorder.ts#maxWaitingCalls} calls and {api/calls/call-recorder.ts#maxWaitingBytes} of bodies of each process every {api/calls/call-recorder.ts#describeInterval} ms',
    over: 'the oldest calls are dropped; further calls at once are counted, further bodies are not kept',
    test: 'src/api/calls/call-recorder.test.ts',
    holds: ['api/calls/call-log.ts calls', 'api/calls/call-recorder.ts waiting'],
  },
  {
    resource: 'refused calls and blocks shown in the terminal, and errors of requests in the log',
    limit: '{app/output/gather-blocks.ts#maxLines} lines a second; {cli/terminal/screen.ts#maxWaiting} lines wait',
    over: 'further lines are counted, and the counts shown: {app/output/limit-lines.ts#maxNames} methods or messages by name, the others together',
    test: 'src/app/output/limit-lines.test.ts',
    holds: ['app/output/gather-blocks.ts gathered', 'app/output/limit-lines.ts counts', 'cli/terminal/screen.ts waiting'],
  },
  {
    resource: 'the log of a node in the background (`--detach`)',
    limit: '{app/platform/log-size.ts#maxLogBytes}, and as much in FILE.1',
    over: 'the log is copied to FILE.1, which is replaced, and begins anew',
    test: 'src/app/platform/log-size.test.ts',
  },
  {
    resource: 'events in a browser tab of the explorer',
    limit:
      '{explorer/browser/live-store.ts#maxRecent} transactions, {explorer/browser/live-tape.ts#maxBlocks} blocks, {explorer/browser/second-counts.ts#keptSeconds} s of counts',
    over: 'the oldest are dropped, or the page is loaded again',
    test: 'test/explorer-soak.test.ts',
    holds: [
      'explorer/browser/live-tape.ts labels entered',
      'explorer/browser/message-buffer.ts messages',
      'explorer/browser/page.tsx queue loading',
      'explorer/browser/second-counts.ts counts',
      'explorer/browser/worker.ts ports batch',
    ],
  },
];
