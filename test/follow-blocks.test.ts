import { describe, expect, test } from 'bun:test';
import { makeBlock, parseBlock } from '../src/avm/tx/block.ts';
import { makeTx } from '../src/avm/tx/tx.ts';
import { idText } from '../src/base/bytes/id.ts';
import { codes, expectSame, follow } from './scripted-follower.ts';
import { openSourceChain, type SourceChain } from './source-chain.ts';
import { baseTx, createWallet, ewoq, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

describe('an invalid block', () => {
  const otherWallet = createWallet('stranger', { count: 1 });

  /** The last block of the source with another transaction instead of its own. */
  const forged = (source: SourceChain, tx: ReturnType<typeof signDraft>) => {
    const last = parseBlock(source.local.state.blockAt(source.local.state.height()) as Uint8Array);
    return makeBlock({ ...last, txs: [tx] });
  };

  const spend = (source: SourceChain, wallet = source.wallet) => {
    const utxos = [...source.model.utxos.values()].filter(
      ({ assetID, output }) =>
        assetID === localChainParams.feeAsset && output.locktime === 0n && output.threshold === 1 && output.addresses.length === 1,
    );
    return baseTx(wallet, { utxos }, [transfer(localChainParams.feeAsset, 1n, ownedBy([ewoq]))]);
  };

  const invalidTxs = {
    'signed by another key': (source: SourceChain) => {
      const { unsigned, signers } = spend(source);
      return signDraft({ unsigned, signers: signers.map(() => otherWallet.keys) });
    },
    'spends a spent output': (source: SourceChain) => {
      const spent = source.model.spent.filter(
        ({ assetID, output }) => assetID === localChainParams.feeAsset && output.addresses.length === 1,
      );
      return signDraft(
        baseTx(source.wallet, { utxos: spent, now: 10_000_000_000n }, [transfer(localChainParams.feeAsset, 1n, ownedBy([ewoq]))]),
      );
    },
    'pays no fee': (source: SourceChain) => {
      const { unsigned, signers } = spend(source, { ...source.wallet, chainParams: { ...localChainParams, txFee: 0n } });
      return signDraft({ unsigned, signers });
    },
    'not signed': (source: SourceChain) => makeTx(spend(source).unsigned, []),
  };

  for (const [what, makeInvalid] of Object.entries(invalidTxs))
    test(`${what}: not stored, reported once, retried slowly, and stored once it is valid`, async () => {
      const source = openSourceChain(9);
      source.grow(30);
      const chain = follow(source);
      const bad = forged(source, makeInvalid(source));
      chain.node.replacedBlocks.set(30n, bad.bytes);
      const follower = chain.start();
      await chain.until(() => follower.status().state === 'waiting');
      await chain.pass(120_000);
      expect(chain.state.height()).toBe(29n);
      expect(follower.status().lastError).toMatchObject({
        fault: { code: 'FOLLOW_BAD_BLOCK', height: '30', blockID: idText(bad.id), cause: 'BLOCK_BAD_TX' },
      });
      const tries = chain.node.requests.filter(({ params }) => params.height === '30').length;
      expect(tries).toBeGreaterThan(3);
      expect(tries).toBeLessThan(20);
      expect(codes(chain.reported)).toEqual(['FOLLOW_BAD_BLOCK']);
      chain.node.replacedBlocks.clear();
      await chain.until(() => follower.status().state === 'live', 60_000);
      expectSame(source, chain);
      await follower.stop();
    });
});

describe('imports', () => {
  test('whose exports the node does not know: only their signatures are verified', async () => {
    const source = openSourceChain(10);
    source.grow(80);
    const imported = source.model.accepted.filter(({ unsigned }) => unsigned.kind === 'ImportTx');
    expect(imported.length).toBeGreaterThan(3);
    const chain = follow(source);
    chain.node.knowsForeignTxs = false;
    const follower = chain.start();
    await chain.until(() => follower.status().state === 'live');
    expectSame(source, chain);
    const inputs = imported.flatMap(({ unsigned }) => (unsigned.kind === 'ImportTx' ? unsigned.importedInputs : []));
    expect(follower.status().unknownImports).toBe(inputs.length);
    await follower.stop();
  });

  test('whose source chain does not respond: lookups are skipped after a timeout', async () => {
    const source = openSourceChain(10);
    source.grow(80);
    const chain = follow(source);
    chain.node.behavior = ({ method }) => (method.startsWith('avm.') || method.startsWith('info.') ? 'normal' : 'busy');
    const follower = chain.start();
    await chain.until(() => follower.status().state === 'live', 180_000);
    expect(follower.status().unknownImports).toBeGreaterThan(0);
    await follower.stop();
  });

  test('with an invalid signature are rejected even if the export is unknown', async () => {
    const source = openSourceChain(10);
    source.grow(80);
    const height = [...Array(80).keys()].findIndex((i) =>
      parseBlock(source.local.state.blockAt(BigInt(i + 1)) as Uint8Array).txs.some(({ unsigned }) => unsigned.kind === 'ImportTx'),
    );
    const real = parseBlock(source.local.state.blockAt(BigInt(height + 1)) as Uint8Array);
    const txs = real.txs.map((tx) => {
      if (tx.unsigned.kind !== 'ImportTx') return tx;
      const credentials = tx.credentials.map((one) => ({ ...one, signatures: [new Uint8Array(65)] }));
      return makeTx(tx.unsigned, credentials as typeof tx.credentials);
    });
    const chain = follow(source);
    chain.node.knowsForeignTxs = false;
    chain.node.replacedBlocks.set(real.height, makeBlock({ ...real, txs }).bytes);
    const follower = chain.start();
    await chain.until(() => follower.status().state === 'waiting');
    expect(follower.status()).toMatchObject({ height: real.height - 1n });
    expect(follower.status().lastError).toMatchObject({ fault: { code: 'FOLLOW_BAD_BLOCK' } });
    await follower.stop();
  });
});
