import { expect, test } from 'bun:test';
import { localGenesis, openLocalChain } from '../../../test/local-chain.ts';
import { eventually } from '../../../test/processes.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, signDraft } from '../../../test/wallet-kit.ts';
import { differencesOf } from '../../api/differences.ts';
import { createAliases } from '../../api/rpc/aliases.ts';
import type { AvmReads } from '../../api/rpc/avm.ts';
import { handleRpc } from '../../api/rpc/json-rpc.ts';
import { makeUtxo } from '../../avm/tx/utxo.ts';
import { formatHex } from '../../base/bytes/hex.ts';
import { type Id, idText, zeroId } from '../../base/bytes/id.ts';
import { recoverNative } from '../../base/crypto/curve-native.ts';
import { createSignerCache } from '../../base/crypto/recover.ts';
import { longWork } from '../../base/timing/long-work.fixture.ts';
import { noResponse } from '../../chain/follow/fault.ts';
import type { Ledger, TxReport } from '../../chain/lifecycle/ledger.ts';
import { createChainServices, runChain, type TxIssuer } from './avm-chain.ts';

const { network, x, first } = localGenesis();
const [{ tx: avax }] = x.genesis.assets;
const [storedId, preLinearizationId, unreachableId] = ['stored', 'before', 'unreachable'].map((name) =>
  Buffer.from(name).toString('hex').padEnd(64, '0'),
) as [Id, Id, Id];

/** Returns a caller of the RPC of a chain whose store has one transaction, `storedId`. */
function createRpc(issuing: Partial<TxIssuer>, isStrict = false) {
  const spec = { id: x.blockchainID, aliases: ['X'] as const, genesis: x.genesis, fees: network.fees, genesisBlock: first };
  const txBytes = (id: Id) => (id === storedId ? avax.bytes : undefined);
  const reads = { hasTx: (id: Id) => id === storedId, txBytes, epoch: () => 0, version: () => 1 } as unknown as AvmReads;
  const differences = differencesOf(isStrict);
  const chainContext = { network, aliases: createAliases([spec]), differences, now: () => 0n, longWork };
  const services = createChainServices(
    spec,
    reads,
    { issue: () => {}, queueWalletTx: () => {}, report: () => ({ status: 'Unknown' as const }), ...issuing },
    chainContext,
  ).avm;
  return async (method: string, txID: Id, encoding = 'hex') => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { txID: idText(txID), encoding } });
    const { body: text } = await handleRpc(services, Buffer.from(body), { differences, onUnexpectedError: () => {}, longWork });
    const { result, error } = JSON.parse(String(text));
    return error?.message ?? result.tx ?? result;
  };
}

const hex = formatHex('hex', avax.bytes);

test('a transaction from before linearization is fetched from the followed node', async () => {
  const fetched: Id[] = [];
  const call = createRpc({
    preLinearizationTx: async (id) => {
      fetched.push(id);
      if (id === unreachableId) throw noResponse('avm.getTx', 'no connection');
      return id === preLinearizationId ? avax : undefined;
    },
  });
  expect(await call('avm.getTx', storedId)).toBe(hex);
  expect(fetched).toEqual([]);
  expect(await call('avm.getTx', preLinearizationId)).toBe(hex);
  expect(await call('avm.getTx', preLinearizationId, 'json')).toEqual(await call('avm.getTx', storedId, 'json'));
  expect(await call('avm.getTx', x.blockchainID)).toBe('not found');
  expect(await call('avm.getTx', unreachableId)).toBe('the followed node does not answer avm.getTx: no connection');
  expect(await call('avm.getTx', zeroId)).toBe('nil transaction ID');
  expect(await createRpc({})('avm.getTx', preLinearizationId)).toBe('not found');
});

test('a status and the reason come from the followed node; --strict: only Accepted or Unknown, as in AvalancheGo', async () => {
  const accepted: TxReport = { status: 'Accepted' };
  const unknown: TxReport = { status: 'Unknown' };
  const rejected: TxReport = { status: 'Rejected', reason: 'insufficient funds' };
  const remoteReports: ReadonlyMap<Id, TxReport> = new Map([
    [storedId, accepted],
    [preLinearizationId, accepted],
    [unreachableId, rejected],
  ]);
  const report = async (id: Id) => remoteReports.get(id) ?? unknown;
  const preLinearizationTx = async () => undefined;
  const reports = async (call: ReturnType<typeof createRpc>) =>
    Promise.all([storedId, preLinearizationId, unreachableId].map((id) => call('avm.getTxStatus', id)));
  expect(await reports(createRpc({ report }))).toEqual([accepted, accepted, rejected]);
  expect(await reports(createRpc({ report, preLinearizationTx }, true))).toEqual([accepted, accepted, unknown]);
  expect(await reports(createRpc({ report }, true))).toEqual([accepted, unknown, unknown]);
});

test('the signers of a wallet transaction are recovered before it enters the mempool, also if it waits in the queue', async () => {
  const local = openLocalChain({ now: () => 1_700_000_000n });
  const spec = { id: x.blockchainID, aliases: ['X'] as const, genesis: x.genesis, fees: network.fees, genesisBlock: first };
  const signers = createSignerCache(recoverNative);
  const log: string[] = [];
  const chain = runChain(
    spec,
    { ...local.state, accept: local.state.commitAll as Ledger['accept'] },
    {
      network,
      aliases: createAliases([spec]),
      differences: differencesOf(false),
      now: () => 1_700_000_000n,
      longWork,
      recover: (...args) => {
        log.push('verified');
        return signers.recover(...args);
      },
      signers,
      recovery: {
        prepare: (tx, expected) => {
          log.push(`${names.get(tx.id)}: ${expected().length} expected`);
          return new Promise((resolve) => void setImmediate(resolve));
        },
        close: () => {},
      },
      timers: {
        now: () => performance.now(),
        unix: () => 1_700_000_000n,
        soon: (run) => void setImmediate(run),
        after: (ms, run) => {
          const timer = setTimeout(run, ms);
          return () => clearTimeout(timer);
        },
      },
      minBlockDelay: 0,
      policy: { automine: true, interval: 0 },
      takeNextBlockTime: () => undefined,
      publish: () => {},
      subnetID: zeroId,
      subnetOf: () => undefined,
      report: (error) => void log.push(String(error)),
      onFollowState: () => {},
      onCommitState: () => {},
      observerOf: () => ({ onReceived: () => {}, onVerified: () => {}, onRefused: () => {} }),
    },
  );
  const wallet = createWallet('queue', { keys: [ewoq], count: 0 });
  const parent = signDraft(baseTx(wallet, { utxos: [ewoqGenesisUtxo] }, []));
  const [change] = parent.unsigned.outputs;
  const child = signDraft(baseTx(wallet, { utxos: [makeUtxo(parent.id, 0, change!.assetID, change!.output)] }, []));
  const names = new Map([
    [parent.id, 'parent'],
    [child.id, 'child'],
  ]);
  await Promise.all([chain.txIssuer.queueWalletTx(parent), chain.txIssuer.queueWalletTx(child)]);
  expect(
    await eventually(
      () => chain.txIssuer.report(child.id),
      ({ status }) => status === 'Accepted',
    ),
  ).toEqual({ status: 'Accepted' });
  expect(log.indexOf('parent: 1 expected')).toBe(0);
  expect(log.lastIndexOf('verified')).toBeGreaterThan(log.indexOf('child: 1 expected'));
  expect(log.filter((entry) => entry.startsWith('child'))).toEqual(['child: 0 expected', 'child: 1 expected']);
  local.close();
});
