import { expect, test } from 'bun:test';
import { localGenesis, openLocalChain } from '../../../test/local-chain.ts';
import { eventually } from '../../../test/processes.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, localChainParams, ownedBy, signDraft, transfer } from '../../../test/wallet-kit.ts';
import { differencesOf } from '../../api/differences.ts';
import { createAliases } from '../../api/rpc/aliases.ts';
import type { AvmReads } from '../../api/rpc/avm.ts';
import { handleRpc } from '../../api/rpc/json-rpc.ts';
import { makeTx } from '../../avm/tx/tx.ts';
import { makeUtxo } from '../../avm/tx/utxo.ts';
import { formatHex } from '../../base/bytes/hex.ts';
import { type Id, idText, zeroId } from '../../base/bytes/id.ts';
import { recoverNative } from '../../base/crypto/curve-native.ts';
import { createSignerCache } from '../../base/crypto/recover.ts';
import { recoverBatch } from '../../base/crypto/recovery-batch.ts';
import { faultOf } from '../../base/fault.ts';
import { longWork } from '../../base/timing/long-work.fixture.ts';
import { noResponse } from '../../chain/follow/fault.ts';
import type { ExplainedStatus, Ledger } from '../../chain/lifecycle/ledger.ts';
import { createRecovery } from '../../chain/recovery/recovery.ts';
import { runChain, type SharedChainDeps } from './avm-chain.ts';
import { createChainServices } from './chain-services.ts';
import type { ChainTools, ChainTxs } from './running-chain.ts';

const { network, x, first } = localGenesis();
const [{ tx: avax }] = x.genesis.assets;
const [storedId, preLinearizationId, unreachableId] = ['stored', 'before', 'unreachable'].map((name) =>
  Buffer.from(name).toString('hex').padEnd(64, '0'),
) as [Id, Id, Id];

/** Returns a caller of the RPC of a chain whose store has one transaction, `storedId`. */
function createRpc(issuing: Partial<ChainTxs>, isStrict = false) {
  const spec = { id: x.blockchainID, aliases: ['X'] as const, genesis: x.genesis, fees: network.fees, genesisBlock: first };
  const txBytes = (id: Id) => (id === storedId ? avax.bytes : undefined);
  const reads = { hasTx: (id: Id) => id === storedId, txBytes, epoch: () => 0, version: () => 1 } as unknown as AvmReads;
  const differences = differencesOf(isStrict);
  const chainContext = { network, aliases: createAliases([spec]), differences, now: () => 0n, longWork };
  const services = createChainServices(
    spec,
    reads,
    { issue: async () => {}, queueWalletTx: async () => {}, explainStatus: async () => ({ status: 'Unknown' as const }), ...issuing },
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
  const accepted: ExplainedStatus = { status: 'Accepted' };
  const unknown: ExplainedStatus = { status: 'Unknown' };
  const rejected: ExplainedStatus = { status: 'Rejected', reason: 'insufficient funds' };
  const remoteReports: ReadonlyMap<Id, ExplainedStatus> = new Map([
    [storedId, accepted],
    [preLinearizationId, accepted],
    [unreachableId, rejected],
  ]);
  const explainStatus = async (id: Id) => remoteReports.get(id) ?? unknown;
  const preLinearizationTx = async () => undefined;
  const reports = async (call: ReturnType<typeof createRpc>) =>
    Promise.all([storedId, preLinearizationId, unreachableId].map((id) => call('avm.getTxStatus', id)));
  expect(await reports(createRpc({ explainStatus }))).toEqual([accepted, accepted, rejected]);
  expect(await reports(createRpc({ explainStatus, preLinearizationTx }, true))).toEqual([accepted, accepted, unknown]);
  expect(await reports(createRpc({ explainStatus }, true))).toEqual([accepted, unknown, unknown]);
});

/** Starts the X-Chain of a new local network. */
function startChain({
  signers,
  recovery,
  logError,
}: Pick<SharedChainDeps, 'signers' | 'recovery'> & Pick<SharedChainDeps['listeners'], 'logError'>) {
  const local = openLocalChain({ now: () => 1_700_000_000n });
  const spec = { id: x.blockchainID, aliases: ['X'] as const, genesis: x.genesis, fees: network.fees, genesisBlock: first };
  const chain = runChain({
    spec,
    ledger: { ...local.state, accept: local.state.commitAll as Ledger['accept'] },
    chainDeps: {
      context: {
        chain: { network, aliases: createAliases([spec]), differences: differencesOf(false), now: () => 1_700_000_000n, longWork },
        subnetID: zeroId,
        subnetOf: () => undefined,
      },
      signers,
      recovery,
      timing: { timers, minBlockDelay: 0, policy: { automine: true, interval: 0 }, takeNextBlockTime: () => undefined },
      listeners: {
        publish: () => {},
        observerOf: () => ({ onReceived: () => {}, onVerified: () => {}, onRefused: () => {} }),
        logError,
        onFollowState: () => {},
        onCommitState: () => {},
      },
    },
    fork: undefined,
    impersonation: undefined,
  });
  const untilAccepted = (id: Id) =>
    eventually(
      () => chain.txIssuer.explainStatus(id),
      ({ status }) => status === 'Accepted',
    );
  return { chain, untilAccepted, close: local.close };
}

const timers = {
  now: () => performance.now(),
  unixNanos: () => 1_700_000_000_000_000_000n,
  soon: (run: () => void) => void setImmediate(run),
  after: (ms: number, run: () => void) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

test('the signers of a wallet transaction are recovered before it enters the mempool, also if it waits in the queue', async () => {
  const signers = createSignerCache(recoverNative);
  const log: string[] = [];
  const { chain, untilAccepted, close } = startChain({
    signers: {
      ...signers,
      recover: (...args) => {
        log.push('verified');
        return signers.recover(...args);
      },
    },
    recovery: {
      recoverAhead: (tx, expected) => {
        log.push(`${names.get(tx.id)}: ${expected().length} expected`);
        return new Promise((resolve) => void setImmediate(resolve));
      },
    },
    logError: (error) => void log.push(String(error)),
  });
  const wallet = createWallet('queue', { keys: [ewoq], count: 0 });
  const parent = signDraft(baseTx(wallet, { utxos: [ewoqGenesisUtxo] }, []));
  const [change] = parent.unsigned.outputs;
  const child = signDraft(baseTx(wallet, { utxos: [makeUtxo(parent.id, 0, change!.assetID, change!.output)] }, []));
  const names = new Map([
    [parent.id, 'parent'],
    [child.id, 'child'],
  ]);
  await Promise.all([chain.txIssuer.queueWalletTx(parent), chain.txIssuer.queueWalletTx(child)]);
  expect(await untilAccepted(child.id)).toEqual({ status: 'Accepted' });
  expect(log.indexOf('parent: 1 expected')).toBe(0);
  expect(log.lastIndexOf('verified')).toBeGreaterThan(log.indexOf('child: 1 expected'));
  expect(log.filter((entry) => entry.startsWith('child'))).toEqual(['child: 0 expected', 'child: 1 expected']);
  close();
});

test('the checks of a transaction with many signatures recover none on this thread, also after one that is wrong', async () => {
  const owned = 70;
  let recoveredHere = 0;
  let recoveredOnThread = 0;
  const signers = createSignerCache((...given) => {
    recoveredHere++;
    return recoverNative(...given);
  });
  const request = async (batch: Uint8Array) =>
    recoverBatch((...given) => {
      recoveredOnThread++;
      return recoverNative(...given);
    }, batch);
  const recovery = createRecovery(signers, {
    cores: 2,
    clock: { monotonic: () => performance.now() },
    timers,
    recoverKey: recoverNative,
    log: () => {},
    openRecoveryThread: () => ({ request, close: () => {} }),
  });
  const { chain, untilAccepted, close } = startChain({ signers, recovery, logError: () => expect.unreachable() });
  const wallet = createWallet('explained', { keys: [ewoq], count: owned });
  const owners = ownedBy(wallet.keys.slice(1), owned);
  const outputs = [1_000_000n, 2_000_000n].map((amount) => transfer(localChainParams.feeAsset, amount, owners));
  const funding = signDraft(baseTx(wallet, { utxos: [ewoqGenesisUtxo] }, outputs));
  await chain.txIssuer.issue(funding);
  await untilAccepted(funding.id);
  const utxos = funding.unsigned.outputs
    .map(({ assetID, output }, i) => makeUtxo(funding.id, i, assetID, output))
    .filter(({ output }) => output.addresses.length === owned);
  const right = signDraft(baseTx(wallet, { utxos }, [transfer(localChainParams.feeAsset, 1_500_000n, ownedBy([ewoq]))]));
  const { explain, chain: checker } = chain.tools as ChainTools;

  const [credential, other] = right.credentials as unknown as readonly [Signed, Signed];
  const compressed = Uint8Array.from(credential.signatures[0] as Uint8Array, (byte, i) => (i === 64 ? byte + 4 : byte));
  const wrong = makeTx(right.unsigned, [{ ...credential, signatures: [compressed, ...credential.signatures.slice(1)] }, other]);
  for (const tx of [right, wrong]) {
    recoveredHere = 0;
    recoveredOnThread = 0;
    const checks = await explain(tx);
    const bySignatures = checks.filter(({ rule }) => rule === 'signatures').map(({ path, code }) => [path, code]);
    const code = tx === wrong ? 'SIGNATURE_COMPRESSED' : undefined;
    expect(bySignatures).toEqual([
      ['inputs[0]', code],
      ['inputs[1]', undefined],
    ] as unknown as typeof bySignatures);
    expect(faultOf(() => checker.checkIssuable(tx))?.fault.code).toBe(code as string);
    expect([recoveredHere, recoveredOnThread]).toEqual([0, 2 * owned]);
  }
  recovery.close();
  close();
});

type Signed = { readonly kind: 'secp256k1fx.Credential'; readonly signatures: Uint8Array[] };
