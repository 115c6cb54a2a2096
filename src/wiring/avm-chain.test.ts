import { expect, test } from 'bun:test';
import { localGenesis } from '../../test/local-chain.ts';
import { formatHex } from '../bytes/hex.ts';
import { type Id, idText, zeroId } from '../bytes/id.ts';
import type { TxStatus } from '../chain/chain.ts';
import { differencesOf } from '../differences.ts';
import { silent } from '../follow/fault.ts';
import { createAliases } from '../rpc/aliases.ts';
import type { AvmReads } from '../rpc/avm.ts';
import { answer } from '../rpc/envelope.ts';
import { longWork } from '../timing/long-work.fixture.ts';
import { chainServices, type Issuing } from './avm-chain.ts';

const { network, x, first } = localGenesis();
const [{ tx: avax }] = x.genesis.assets;
const [here, older, lost] = ['here', 'older', 'lost'].map((name) => Buffer.from(name).toString('hex').padEnd(64, '0')) as [Id, Id, Id];

/** The RPC of a chain that has one transaction and knows of another one from elsewhere. */
function open(issuing: Partial<Issuing>, isStrict = false) {
  const spec = { id: x.blockchainID, aliases: ['X'] as const, genesis: x.genesis, fees: network.fees, first };
  const reads = { hasTx: (id: Id) => id === here, txBytes: (id: Id) => (id === here ? avax.bytes : undefined) } as AvmReads;
  const differences = differencesOf(isStrict);
  const around = { network, aliases: createAliases([spec]), differences, now: () => 0n, longWork };
  const services = chainServices(spec, reads, { issue: () => {}, issueInTurn: () => {}, status: () => 'Unknown', ...issuing }, around).avm;
  return async (method: string, txID: Id, encoding = 'hex') => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { txID: idText(txID), encoding } });
    const { body: text } = await answer(services, Buffer.from(body), { differences, report: () => {}, longWork });
    const { result, error } = JSON.parse(String(text));
    return error?.message ?? result.tx ?? result.status;
  };
}

const hex = formatHex('hex', avax.bytes);

test('a transaction older than any block is that of the followed node', async () => {
  const asked: Id[] = [];
  const call = open({
    olderTx: async (id) => {
      asked.push(id);
      if (id === lost) throw silent('avm.getTx', 'no connection');
      return id === older ? avax : undefined;
    },
  });
  expect(await call('avm.getTx', here)).toBe(hex);
  expect(asked).toEqual([]);
  expect(await call('avm.getTx', older)).toBe(hex);
  expect(await call('avm.getTx', older, 'json')).toEqual(await call('avm.getTx', here, 'json'));
  expect(await call('avm.getTx', x.blockchainID)).toBe('not found');
  expect(await call('avm.getTx', lost)).toBe('the followed node does not answer avm.getTx: no connection');
  expect(await call('avm.getTx', zeroId)).toBe('nil transaction ID');
  expect(await open({})('avm.getTx', older)).toBe('not found');
});

test('a status is the word of the followed node; the peer knows two', async () => {
  const told: ReadonlyMap<Id, TxStatus> = new Map([
    [here, 'Accepted'],
    [older, 'Accepted'],
    [lost, 'Processing'],
  ]);
  const status = async (id: Id) => told.get(id) ?? 'Unknown';
  const olderTx = async () => undefined;
  const statuses = async (call: ReturnType<typeof open>) => Promise.all([here, older, lost].map((id) => call('avm.getTxStatus', id)));
  expect(await statuses(open({ status }))).toEqual(['Accepted', 'Accepted', 'Processing']);
  expect(await statuses(open({ status, olderTx }, true))).toEqual(['Accepted', 'Accepted', 'Unknown']);
  expect(await statuses(open({ status }, true))).toEqual(['Accepted', 'Unknown', 'Unknown']);
});
