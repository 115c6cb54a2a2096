import { parseTx } from '../src/avm/tx/tx.ts';
import { parseHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { type Client, createClient } from '../test/http.ts';
import { xPath } from './fixture.ts';

/** Milliseconds until a call that was refused is sent again, as `Retry-After` says, and how often that happens. */
const pause = 1000;
const maxRetries = 60;
const maxLostConnections = 3;

/** A client that sends a call again while the node is too busy to take it (status 503). `refusals` counts that. */
export function createPatientClient(port: number): Client & { readonly refusals: () => number } {
  const client = createClient(port);
  let refused = 0;
  /** At most a line in ten seconds: when a node is too busy, it refuses all calls. */
  let shownAt = Number.NEGATIVE_INFINITY;
  const show = (path: string, text: string): void => {
    if (performance.now() - shownAt < 10_000) return;
    shownAt = performance.now();
    console.error(`  ${new Date().toISOString()} ${path}: ${text.trim().slice(0, 200)}`);
  };
  const send: Client['send'] = async (...request) => {
    for (let retries = 0; ; retries++) {
      // A connection may be closed at the moment at which it is used again.
      const response = await client.send(...request).catch((error: Error) => {
        if (retries >= maxLostConnections) throw error;
        return { status: 503, headers: {}, text: error.message };
      });
      if (response.status !== 503 || retries === maxRetries) return response;
      refused++;
      show(request[1], response.text);
      await Bun.sleep(pause);
    }
  };
  const call: Client['call'] = async (path, method, params) => {
    const before = refused;
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) });
    const answer = JSON.parse((await send('POST', path, { 'content-type': 'application/json' }, body)).text);
    if (method !== 'avm.issueTx' || answer.error === undefined || before === refused) return answer;
    // The refused call may have been executed: then the transaction is known, and the second one is an error.
    const { tx } = params as { tx: string };
    const txID = idText(parseTx(parseHex('hex', tx)).id);
    const { result } = await call(xPath, 'avm.getTxStatus', { txID });
    return (result as { status?: string } | undefined)?.status === 'Unknown' ? answer : { result: { txID } };
  };
  return { send, call, close: client.close, refusals: () => refused };
}
