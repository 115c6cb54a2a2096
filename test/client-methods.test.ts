import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { isChainEventKind } from '../src/api/client/event.ts';
import { type Client, createClient, SeracError } from '../src/api/client/index.ts';
import { type AnyMethodRow, encodeParams } from '../src/api/client/method-row.ts';
import { services } from '../src/api/client/namespaces.ts';
import { devMethods } from '../src/api/dev/dev-methods.ts';
import { eventKinds } from '../src/api/events/event-kinds.ts';
import { avmMethods } from '../src/api/rpc/avm.ts';
import { healthMethods } from '../src/api/rpc/health.ts';
import { infoMethods } from '../src/api/rpc/info.ts';
import type { MethodTable } from '../src/api/rpc/method.ts';
import { walletMethods } from '../src/api/rpc/wallet.ts';
import { type Program, startProgramAsUsers } from './program.ts';

/** The typed client: its table of methods beside the node's, and calls over HTTP. */

const tables: { readonly [service: string]: MethodTable<never> } = {
  avm: avmMethods,
  wallet: walletMethods,
  info: infoMethods,
  health: healthMethods,
  dev: devMethods as MethodTable<never>,
};

describe.each(Object.entries(tables))('%s', (service, methods) => {
  const rows = services[service as keyof typeof services].methods as { readonly [name: string]: AnyMethodRow };

  test('the client has every method of the node', () => {
    expect(Object.keys(rows).sort()).toEqual(Object.keys(methods).sort());
  });

  test.each(Object.entries(methods))('%s has the same parameters', (name, { params }) => {
    expect(Object.keys(rows[name]!.params).sort()).toEqual(Object.keys(params.fields ?? {}).sort());
    const { bare } = rows[name]!;
    if (bare !== undefined) expect(encodeParams(rows[name]!, ['x'])).toEqual({ [bare]: ['x'] });
  });
});

test('the documented result of every method has the form that the client declares, and no other properties', async () => {
  const page = await Bun.file(new URL('../docs/methods.md', import.meta.url)).text();
  const seen = new Set<string>();
  for (const [, command = '', json = ''] of page.matchAll(/```sh\n(curl [^`]*)```\n```json\n([^`]*)```/g)) {
    const name = /"method":"([^"]*)"/.exec(command)?.[1] ?? '';
    const [service = '', method = ''] = name.split('.');
    const row = (services[service as keyof typeof services]?.methods as { readonly [name: string]: AnyMethodRow } | undefined)?.[method];
    // Examples with … are shortened, and stand for values of another type.
    if (row === undefined || json.startsWith('[') || json.includes('…') || json.includes('"error"')) continue;
    seen.add(name);
    const { result } = JSON.parse(json) as { result: object };
    const decoded = row.result.decode(result, '') as object;
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
  }, 60_000);
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
