import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { makeTx, type Tx } from '../src/avm/tx/tx.ts';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { formatHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { type DevNode, devModes, outputOf, startDevNode } from './dev-node.ts';
import { eventually } from './processes.ts';
import { runProgram, startProgram } from './program.ts';
import {
  baseTx,
  createWallet,
  ewoq,
  ewoqGenesisUtxo,
  type Key,
  localChainParams,
  ownedBy,
  sign,
  signDraft,
  transfer,
} from './wallet-kit.ts';

/** Explaining, decoding and impersonating, through the running program. */

const wallet = createWallet('insight', { keys: [ewoq], count: 3 });
const [, owner, other] = wallet.keys as [Key, Key, Key];
const addressText = createAddressFormatter('X', 'local');
const avax = localChainParams.feeAsset;
const coin = 1_000_000_000n;
const split = signDraft(
  baseTx(wallet, { utxos: [ewoqGenesisUtxo] }, [
    transfer(avax, 10n * coin, ownedBy([owner])),
    transfer(avax, 11n * coin, ownedBy([owner])),
    transfer(avax, 12n * coin, ownedBy([owner, other], 2, 4_000_000_000n)),
  ]),
);
const outputsOf = (key: Key) => [0, 1, 2, 3].map((i) => outputOf(split, i)).filter(({ output }) => output.addresses.includes(key.address));
const [small, large, locked] = outputsOf(owner).sort((a, b) => Number(amountOf(a) - amountOf(b))) as [Utxo, Utxo, Utxo];
type Utxo = ReturnType<typeof outputOf>;
function amountOf({ output }: Utxo): bigint {
  return 'amount' in output ? output.amount : 0n;
}
const draft = (utxo: Utxo) => baseTx(wallet, { utxos: [utxo], now: 4_000_000_000n }, [transfer(avax, coin, ownedBy([other]))]);
const exportTo = (method: string) => (method === 'dev.export' ? { destinationChain: 'P' } : {});
const hexOf = (tx: Tx) => formatHex('hex', tx.bytes);
type Check = { rule: string; path?: string; ok: boolean | null; code?: string };

for (const mode of devModes)
  describe(`insight and identity, ${mode}`, () => {
    let node: DevNode;
    beforeAll(async () => {
      node = await startDevNode(mode);
      await node.issue(split);
      await node.untilAccepted(split);
    });
    afterAll(() => node.stop());

    const failedChecks = ({ checks }: { checks: Check[] }) => checks.filter(({ ok }) => ok === false).map(({ rule, code }) => [rule, code]);

    test('dev.explainTx lists every check of a valid transaction, and issues nothing', async () => {
      const tx = signDraft(draft(small));
      const explained = await node.dev('dev.explainTx', { tx: hexOf(tx) });
      expect(explained).toMatchObject({ txID: idText(tx.id), type: 'BaseTx', accepted: true });
      expect(explained.checks.every(({ ok }: Check) => ok === true)).toBe(true);
      expect(explained.checks.map(({ rule }: Check) => rule)).toContainValues([
        'amounts and fee',
        'utxo',
        'locktime',
        'signatures',
        'mempool',
      ]);
      expect((await node.dev('dev.getMempool')).total).toBe(0);
      expect((await node.devError('dev.getTxLifecycle', { txID: idText(tx.id) })).data).toMatchObject({ code: 'DEV_UNKNOWN_TX' });
    });

    test('dev.explainTx shows every failed check: a lock does not hide a wrong signature', async () => {
      const { unsigned } = draft(locked);
      const explained = await node.dev('dev.explainTx', { tx: hexOf(sign(unsigned, [[ewoq, ewoq]])) });
      expect(explained.accepted).toBe(false);
      expect(failedChecks(explained)).toEqual([
        ['locktime', 'TX_TIME_LOCKED'],
        ['signatures', 'TX_WRONG_SIGNATURE'],
      ]);
      const greedy = { ...unsigned, outputs: [transfer(avax, 100n * coin, ownedBy([other]))] } as typeof unsigned;
      expect(failedChecks(await node.dev('dev.explainTx', { tx: hexOf(sign(greedy, [[owner, other]])) }))[0]).toEqual([
        'amounts and fee',
        'TX_INSUFFICIENT_FUNDS',
      ]);
      expect(failedChecks(await node.dev('dev.explainTx', { tx: hexOf(makeTx(unsigned, [])) }))[0]).toEqual([
        'credentials',
        'TX_CREDENTIAL_COUNT',
      ]);
      const spent = await node.dev('dev.explainTx', { tx: hexOf(split) });
      expect(spent.checks.find(({ rule }: Check) => rule === 'utxo')).toMatchObject({
        ok: false,
        isSpent: true,
        spentBy: idText(split.id),
      });
    });

    test('dev.decode takes a transaction, a block and a UTXO, with and without checksum', async () => {
      expect(await node.dev('dev.decode', { bytes: hexOf(split) })).toMatchObject({ kind: 'tx', id: idText(split.id), type: 'BaseTx' });
      expect(await node.dev('dev.decode', { bytes: formatHex('hexnc', small.bytes) })).toMatchObject({
        kind: 'utxo',
        id: idText(small.id),
        utxo: { output: { addresses: [addressText(owner.address)] } },
      });
      const [answer] = await node.everywhere('/ext/bc/X', 'avm.getBlockByHeight', { height: 1, encoding: 'hex' });
      expect(await node.dev('dev.decode', { bytes: answer?.result.block })).toMatchObject({ kind: 'block', block: { height: 1 } });
      expect((await node.devError('dev.decode', { bytes: '0x0102' })).data).toMatchObject({ code: 'DEV_NOT_DECODABLE' });
      expect((await node.devError('dev.decode', { bytes: 'xyz' })).data).toMatchObject({ code: 'HEX_BAD_DIGIT' });
    });

    test('dev.getTxLifecycle tells what became of a transaction, also of one that was refused or dropped', async () => {
      const steps = async (tx: Tx) => (await node.dev('dev.getTxLifecycle', { txID: idText(tx.id) })).steps;
      const names = async (tx: Tx) => (await steps(tx)).map(({ step }: { step: string }) => step);
      expect(await names(split)).toEqual(['received', 'verified', 'pooled', 'accepted']);
      const refused = signDraft(draft(locked));
      await node.issue(refused);
      expect(await steps(refused)).toMatchObject([{ step: 'received' }, { step: 'refused', data: { code: 'TX_TIME_LOCKED' } }]);
      await node.dev('dev.setAutomine', { enabled: false });
      const dropped = signDraft(draft(large));
      await node.issue(dropped);
      await node.dev('dev.dropTx', { txID: idText(dropped.id) });
      await node.dev('dev.setAutomine', { enabled: true });
      expect((await steps(dropped)).at(-1)).toMatchObject({ step: 'dropped', data: { code: 'MEMPOOL_DROPPED_BY_CALLER' } });
    });

    test('dev.impersonate: outputs of the address are spent without its signatures, and the transaction is marked', async () => {
      const { unsigned } = draft(small);
      const unsignedTx = makeTx(unsigned, [{ kind: 'secp256k1fx.Credential', signatures: [] }]);
      const zeroSignature = makeTx(draft(large).unsigned, [{ kind: 'secp256k1fx.Credential', signatures: [new Uint8Array(65)] }]);
      expect((await node.issue(unsignedTx)).error?.data).toMatchObject({ code: 'TX_SIGNATURE_COUNT' });
      expect((await node.issue(zeroSignature)).error).toBeDefined();
      const address = addressText(owner.address);
      expect(await node.dev('dev.impersonate', { address })).toEqual({ addresses: [address], total: 1, auto: false });
      expect(await node.dev('dev.explainTx', { tx: hexOf(unsignedTx) })).toMatchObject({ accepted: true });
      expect((await node.issue(unsignedTx)).error).toBeUndefined();
      await node.untilAccepted(unsignedTx);
      expect(await node.dev('dev.stopImpersonating', { address })).toEqual({ addresses: [], total: 0, auto: false });
      expect((await node.issue(zeroSignature)).error).toBeDefined();
      await node.dev('dev.setAutoImpersonate', { enabled: true });
      expect((await node.issue(zeroSignature)).error).toBeUndefined();
      await node.untilAccepted(zeroSignature);
      await node.dev('dev.setAutoImpersonate', { enabled: false });
      expect((await node.devError('dev.impersonate', { address: 'nonsense' })).data).toMatchObject({ code: 'AVM_BAD_ADDRESS' });
    });

    test('dev.send and dev.export from an impersonated address: its outputs pay, and the change is its own', async () => {
      const rich = addressText('55'.repeat(20) as Key['address']);
      const balanceOf = async (address: string) =>
        (await node.everywhere('/ext/bc/X', 'avm.getBalance', { address, assetID: 'AVAX' })).map(({ result }) => result.balance);
      await node.dev('dev.faucet', { to: rich, amount: '9 AVAX' });
      for (const method of ['dev.send', 'dev.export']) {
        const { data, message } = await node.devError(method, { from: rich, to: rich, amount: 1, ...exportTo(method) });
        expect([data.code, message]).toEqual(['DEV_NOT_AN_ACCOUNT', expect.stringContaining('dev.impersonate')]);
      }
      await node.dev('dev.impersonate', { address: rich });
      await node.dev('dev.send', { from: rich, to: addressText(other.address), amount: '2 AVAX' });
      expect(await balanceOf(rich)).toEqual([String(7n * coin - 1_000_000n)]);
      const { utxoID } = await node.dev('dev.export', { destinationChain: 'P', from: rich, amount: '3 AVAX' });
      const { utxos } = await node.dev('dev.listAtomic');
      expect(utxos.find((utxo: { utxoID: string }) => utxo.utxoID === utxoID)).toMatchObject({
        addresses: [rich.replace('X-', 'P-')],
        amount: String(3n * coin),
      });
      expect(await balanceOf(rich)).toEqual([String(4n * coin - 2_000_000n)]);
      const poor = await node.devError('dev.send', { from: rich, to: rich, amount: '5 AVAX' });
      expect(poor).toMatchObject({ data: { code: 'DEV_INSUFFICIENT_FUNDS', have: String(4n * coin - 2_000_000n) } });
      expect(poor.message).toContain(`the impersonated address ${rich} can spend 3.998 AVAX`);
      await node.dev('dev.stopImpersonating', { address: rich });
      expect((await node.devError('dev.send', { from: rich, to: rich, amount: 1 })).data).toMatchObject({ code: 'DEV_NOT_AN_ACCOUNT' });
    });

    test('a follower refuses the chain and says why', async () => {
      const follower = await startProgram('follow', node.program().url, '--log-level=info');
      const text = await eventually(follower.stderrText, (now) => now.includes('impersonated'));
      await follower.stop();
      expect(text).toContain('dev.impersonate');
    });

    if (mode === 'with a reader process')
      test('serac check counts the marked transactions', async () => {
        await node.program().stop();
        const { code, out } = await runProgram('check', `--data-dir=${node.dataDir}`);
        expect(out).toContain('4 transactions were accepted without the signatures of impersonated addresses');
        expect(code).toBe(0);
      });
  });
