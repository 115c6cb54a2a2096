import type { DevAccess } from '../../api/http/dev-access.ts';
import type { HttpRequest, HttpResponse } from '../../api/http/message.ts';
import type { HttpRoute } from '../../api/http/router.ts';
import { Fault } from '../../base/fault.ts';
import type { StateTransfer } from './state-transfer.ts';

/**
 * The largest database in a state file that replaces a running chain. The replacement blocks the process, and reader processes would
 * take a longer one for a hang (see reader.ts). A chain in memory is limited to 1 GiB, so its state file at start may be as large.
 */
export const maxLoadedBytes = 2 ** 28;

/** Limit of the request body, in bytes: the compressed database is smaller than the database. */
const maxUpload = maxLoadedBytes + 2 ** 20;

const text = { 'content-type': 'text/plain; charset=utf-8' };
const json = { 'content-type': 'application/json; charset=utf-8' };

/** `GET` returns the state of all chains as a state file, `PUT` replaces it. */
export const createStateRoute = (
  transfer: StateTransfer,
  tip: () => { readonly height: bigint; readonly time: bigint },
  access: DevAccess,
): HttpRoute => ({
  ...access,
  handler: async (request) => {
    if (request.method === 'GET') return sendState(transfer);
    if (request.method !== 'PUT') return { status: 405, headers: { ...text, allow: 'GET, PUT' }, body: 'use GET or PUT\n' };
    try {
      await transfer.load(readBody(request), maxLoadedBytes);
    } catch (error) {
      const status = error instanceof Fault ? loadStatuses.get(error.fault.code) : undefined;
      if (status === undefined) throw error;
      return { status, headers: text, body: `${(error as Fault<{ code: string }>).message}; nothing was changed\n` };
    }
    const { height, time } = tip();
    return { status: 200, headers: json, body: JSON.stringify({ height: String(height), time: String(time) }) };
  },
});

/** The first chunk is made before the response begins, so that an error before it gets status 500. */
async function sendState(transfer: StateTransfer): Promise<HttpResponse> {
  const chunks = transfer.save();
  const first = await chunks.next();
  return { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: first.value ?? '', stream: chunks };
}

async function* readBody(request: HttpRequest): AsyncGenerator<Uint8Array> {
  if (request.bodyStream === undefined) yield request.body(maxUpload);
  else yield* request.bodyStream(maxUpload);
}

/** HTTP statuses of the faults of loading a state file. */
const loadStatuses: ReadonlyMap<string, number> = new Map([
  ['STATE_FILE_DAMAGED', 400],
  ['STATE_FILE_FOREIGN', 400],
  ['STATE_FILE_OTHER_VERSION', 409],
  ['STATE_FILE_OTHER_NETWORK', 409],
  ['STATE_FILE_OTHER_CHAINS', 409],
  ['STATE_FILE_TOO_LARGE', 413],
  ['SNAPSHOT_CHAIN_BUSY', 503],
  ['STORE_FULL', 507],
]);
