import { ok } from 'node:assert';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { createEnv } from '../../src/app/platform/runtime-env.ts';
import { startNode } from '../../src/app/programs/start-node.ts';
import { createLog } from '../../src/base/log/log.ts';
import { decodeStateFile, type StateHeader } from '../../src/ledger/snapshot/state-file.ts';
import { callHandler } from '../../src/sdk/local-request.ts';
import { configFromOptions } from '../../src/sdk/options-config.ts';
import type { FuzzTarget, OpenedTarget } from './target.ts';

/*
 * State files that a running node loads. Checksum and compression would hide every change, so an input is: a byte for the form; then for form 0
 * the raw bytes of a file, for form 1 a header, for form 2 changes of a good database: a page (2 bytes), an offset (2), a value (4).
 */

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function openState(): Promise<OpenedTarget> {
  const lines: string[] = [];
  const log = createLog(
    (line) => void lines.push(line),
    () => 'error',
  );
  const node = await startNode(configFromOptions({ accounts: 1 }), createEnv({ version: '0.0.0', log, keepsRunning: true }), {
    listens: false,
  });
  const send = (method: string, body: Uint8Array = new Uint8Array()) =>
    callHandler(node.handler, { method, target: '/ext/dev/state', body });
  const heightOf = async (): Promise<string> => {
    const body = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"avm.getHeight"}');
    const answer = await callHandler(node.handler, {
      method: 'POST',
      target: '/ext/bc/X',
      headers: { 'content-type': 'application/json' },
      body,
    });
    return Buffer.from(answer.body as string).toString();
  };
  const saved: Uint8Array[] = [];
  const { body, stream } = await send('GET');
  saved.push(Buffer.from(body as string));
  for await (const chunk of stream ?? []) saved.push(chunk);
  const database: Buffer[] = [];
  let header: StateHeader | undefined;
  await decodeStateFile(once(Buffer.concat(saved)), {
    maxBytes: 2 ** 28,
    onHeader: (found) => {
      header = found;
    },
    write: (chunk) => void database.push(Buffer.from(chunk)),
  });
  const good = { header: header as StateHeader, database: Buffer.concat(database) };
  const height = await heightOf();

  const packInput = (input: Uint8Array): Uint8Array => {
    const form = (input[0] ?? 0) % 3;
    const rest = Buffer.from(input.subarray(1));
    if (form === 0) return rest;
    if (form === 1) return packWithHeader(rest, good.database);
    return packWithHeader(Buffer.from(JSON.stringify(good.header)), changed(good.database, rest));
  };

  return {
    run: async (input) => {
      const { status, body } = await send('PUT', packInput(input));
      const text = Buffer.from(body as string).toString();
      ok([200, 400, 409, 413].includes(status), `status ${status}: ${text}`);
      if (status === 200) {
        // The file was good enough: the node must still answer. Then everything is as before.
        ok((await heightOf()).includes('"jsonrpc":"2.0"'));
        ok((await send('PUT', packWithHeader(Buffer.from(JSON.stringify(good.header)), good.database))).status === 200);
      } else ok(/nothing was changed\n$/.test(text), text);
      ok((await heightOf()) === height, 'the chain has changed');
      const [line] = lines.splice(0);
      ok(line === undefined, `the node logged: ${line}`);
    },
    close: () => node.close(),
  };
}

/** A file with a header that need not be JSON. */
function packWithHeader(header: Buffer, database: Uint8Array): Uint8Array {
  const content = Buffer.concat([Buffer.from('serac state 1\n'), header, Buffer.from('\n'), gzipSync(database, { level: 1 })]);
  return Buffer.concat([content, createHash('sha256').update(content).digest()]);
}

const pageSize = 4096;

function changed(database: Buffer, changes: Buffer): Buffer {
  const copy = Buffer.from(database);
  const pages = Math.floor(copy.length / pageSize);
  for (let at = 0; at + 8 <= Math.min(changes.length, 256); at += 8) {
    const page = changes.readUInt16BE(at) % pages;
    const offset = changes.readUInt16BE(at + 2) % (pageSize - 4);
    changes.copy(copy, page * pageSize + offset, at + 4, at + 8);
  }
  return copy;
}

const seeds = (): (Uint8Array | string)[] => {
  const patch = (page: number, offset: number, value: number): Uint8Array => {
    const bytes = Buffer.alloc(9);
    bytes[0] = 2;
    bytes.writeUInt16BE(page, 1);
    bytes.writeUInt16BE(offset, 3);
    bytes.writeUInt32BE(value, 5);
    return bytes;
  };
  return [
    '0serac state 1\n{}\n',
    '0serac state 2\n',
    '1{"network":12345,"genesis":"x","versions":{},"chains":[],"clock":{"offset":0}}',
    ...[16, 18, 20, 24, 28, 32, 36, 40, 44, 52, 56, 64, 92, 100, 103, 108].map((offset) => patch(0, offset, 0x01000001)),
    ...[1, 2, 3, 4, 5, 6, 7, 8].map((page) => patch(page, 0, 0x05000000)),
    ...[1, 2, 3, 4, 5].map((page) => patch(page, 8, 2)),
  ];
};

export const stateTarget: FuzzTarget = {
  name: 'state-file',
  testRounds: 5,
  seeds,
  words: ['"network":12345', '"versions"', '"clock"', 'null', '{}', '[]'],
  maxBytes: 4096,
  maxCpu: 500,
  maxRetained: 40_000_000,
  open: openState,
};
