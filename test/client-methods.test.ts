import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { decode } from '../src/api/client/convert.ts';
import { isChainEventKind } from '../src/api/client/events.ts';
import { encodeParams } from '../src/api/client/namespaces.ts';
import { clientServices as services } from '../src/api/contract/client-services.ts';
import { eventKinds } from '../src/api/contract/event-kinds.ts';
import type { MethodRow, MethodRows } from '../src/api/contract/method.ts';
import { type Client, createClient, SeracError } from '../src/sdk/client.ts';
import { type Program, startProgramAsUsers } from './program.ts';

/** The typed client: conversions by the rows of the contract, and calls over HTTP. */

const rowsOf = (service: string): MethodRows => services[service as keyof typeof services]?.methods ?? {};

test.each(Object.keys(services))('%s: the parameter that may be passed alone is a parameter', (service) => {
  for (const row of Object.values(rowsOf(service))) {
    if (row.bare === undefined) continue;
    expect(Object.keys(row.params)).toContain(row.bare);
    expect(encodeParams({ ...row, params: {} }, ['x'])).toEqual({ [row.bare]: ['x'] });
  }
});

test('the documented result of every method has the form that the client declares, and no other properties', async () => {
  const page = await Bun.file(new URL('../docs/reference/methods.md', import.meta.url)).text();
  const seen = new Set<string>();
  for (const [, command = '', json = ''] of page.matchAll(/```sh\n(curl [^`]*)```\n```json\n([^`]*)```/g)) {
    const name = /"method":"([^"]*)"/.exec(command)?.[1] ?? '';
    const [service = '', method = ''] = name.split('.');
    const row: MethodRow | undefined = rowsOf(service)[method];
    // Examples with … are shortened, and stand for values of another type.
    if (row === undefined || json.startsWith('[') || json.includes('…') || json.includes('"error"')) continue;
    seen.add(name);
    const { result } = JSON.parse(json) as { result: object };
    const decoded = decode(row.result, result, '') as object;
    expect([name, Object.keys(decoded).sort()]).toEqual([name, Object.keys(result).sort()]);
  }
  expect(seen.size).toBeGreaterThan(35);
});

test('the client knows every kind of event except those about the stream itself', () => {
  const kinds = Object.keys(eventKinds).filter((kind) => kind !== 'heartbeat' && kind !== 'closed');
  expect(kinds.every(isChainEventKind)).toBe(true);
});

describe('over HTTP', () => {
  let program: Program;
  let node: Client;
  beforeAll(async () => {
    program = await startProgramAsUsers();
    node = createClient({ url: `http://127.0.0.1:${program.port}/` });
  });
  afterAll(() => program.stop());

  test('calls, amounts and errors are those of a node in this process', async () => {
    const [, account] = (await node.dev.accounts()).accounts;
    expect(account?.balance).toBe(10_000_000_000_000n);
    const events = node.events({ address: account!.address, kind: 'tx' });
    await events.ready;
    const { txID } = await node.dev.send({ to: account!.address, amount: 5n });
    for await (const event of events) {
      expect(event).toMatchObject({ kind: 'tx', txID });
      break;
    }
    expect(await events.next()).toEqual({ done: true, value: undefined });
    const { tx } = await node.avm.getTx({ txID, encoding: 'json' });
    expect(tx.unsignedTx.outputs.map(({ output }) => output.amount)).toContain(5n);
    const error = await node.dev.revert('nowhere').catch((error) => error);
    expect(error).toBeInstanceOf(SeracError);
    expect([error.code, error.method]).toEqual(['SNAPSHOT_UNKNOWN', 'dev.revert']);
  });

  test('every method that needs no parameters returns what it declares', async () => {
    for (const service of Object.values(node).filter((value) => typeof value === 'object'))
      for (const [name, call] of Object.entries(service as { readonly [name: string]: () => Promise<unknown> }))
        if (['get', 'list', 'node', 'acc', 'heal', 'live', 'read', 'up', 'peer', 'acp'].some((start) => name.startsWith(start)))
          await call().catch((error) => expect(error.fault.code).toBe('RPC_ERROR'));
  });

  test('a node that does not answer, or answers something else, is reported', async () => {
    const nobody = createClient({ url: 'http://127.0.0.1:1' });
    expect(await nobody.avm.getHeight().catch((error) => error)).toMatchObject({ code: 'NODE_UNREACHABLE' });
    expect(
      await nobody
        .events()
        .next()
        .catch((error) => error),
    ).toMatchObject({ code: 'NODE_UNREACHABLE' });
    const other = createClient({ url: `http://127.0.0.1:${program.port}/nowhere` });
    expect(await other.avm.getHeight().catch((error) => error)).toMatchObject({ code: 'NODE_HTTP', fault: { status: 404 } });
    const odd = createClient({ url: 'http://odd', fetch: async () => new Response('{"jsonrpc":"2.0","result":{"height":"x"},"id":1}') });
    expect(await odd.avm.getHeight().catch((error) => error)).toMatchObject({ code: 'NODE_BAD_RESULT', fault: { path: 'height' } });
  });
});
