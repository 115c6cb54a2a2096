import { type DevAccess, withoutOtherPages } from '../../api/http/dev-access.ts';
import type { HttpRequest, HttpResponse } from '../../api/http/message.ts';
import type { HttpRoute } from '../../api/http/router.ts';
import { Fault } from '../../base/fault.ts';
import type { StateTransfer } from './state-transfer.ts';

/**
 * The largest database in a state file that replaces a running chain. The replacement blocks the process, and reader processes would
 * take a longer one for a hang (see app/processes/heartbeat.ts). A chain in memory is limited to 1 GiB, so its state file at start may be as large.
 */
export const maxLoadedBytes = 2 ** 28;

/** Limit of the request body, in bytes: the compressed database is smaller than the database. */
const maxUpload = maxLoadedBytes + 2 ** 20;

const text = { 'content-type': 'text/plain; charset=utf-8' };
const json = { 'content-type': 'application/json; charset=utf-8' };

/** State files that are sent at the same time. Each holds a copy of the state on disk until the client has read it. */
const maxDownloads = 4;

/** `GET` returns the state of all chains as a state file, `PUT` replaces it. */
export function createStateRoute(
  transfer: StateTransfer,
  tip: () => { readonly height: bigint; readonly time: bigint },
  access: DevAccess,
): HttpRoute {
  let downloads = 0;
  const end = (): void => {
    downloads--;
  };
  return {
    ...withoutOtherPages(access),
    handler: async (request) => {
      if (request.method === 'GET') {
        if (downloads >= maxDownloads) return { status: 503, headers: { ...text, 'retry-after': '1' }, body: tooManyDownloads };
        downloads++;
        return sendState(transfer, end);
      }
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
  };
}

const tooManyDownloads = `${maxDownloads} clients are reading a state file; try again when one of them has read it\n`;

/** The first chunk is made before the response begins, so that an error before it gets status 500. */
async function sendState(transfer: StateTransfer, end: () => void): Promise<HttpResponse> {
  const chunks = withEnd(transfer.save(), end);
  const first = await chunks.next();
  return { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: first.value ?? '', stream: chunks };
}

/** The same chunks; `end` is called when they have been read, or the reader has stopped, or reading has failed. */
async function* withEnd(chunks: AsyncGenerator<Uint8Array>, end: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } finally {
    end();
  }
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
