import { createPrivateKey } from 'node:crypto';
import { openDatabase } from '../../src/app/platform/bun/database.ts';
import { makeBlock, parseBlock } from '../../src/avm/tx/block.ts';
import { effectsOf } from '../../src/avm/tx/effects.ts';
import { parseTx, type Tx } from '../../src/avm/tx/tx.ts';
import type { EngineBlock, Vm } from '../../src/avm/vm.ts';
import type { Id } from '../../src/base/bytes/id.ts';
import { type NodeId, nodeIdOfCertificate } from '../../src/base/bytes/node-id.ts';
import { type Database, memoryPath } from '../../src/ledger/store/database.ts';
import { signStaking } from '../../src/network/identity/staking-certificate.ts';
import type { Proposer } from '../../src/network/outer-chain/outer-builder.ts';
import { anyoneProposes, localOuterRules, openOuterChain } from '../../src/network/outer-chain/outer-chain.fixture.ts';
import { makeUnsignedBlock, parseOuterBlock } from '../../src/network/proposervm/outer-block.ts';
import { childEpoch } from '../../src/network/proposervm/verify-child.ts';
import { mutate, type Random } from '../random.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, ownedBy, signDraft, transfer } from '../wallet-kit.ts';
import type { EventLoop } from './event-loop.ts';
import type { World } from './fake-world.ts';
import type { SimulatedChain } from './honest-node.ts';
import type { Scenario } from './scenario.ts';
import keys from './staking-keys.json' with { type: 'json' };

/** A database in memory that stays open when a node crashes. */
type Disk = { readonly database: Database; readonly index: number };

const proposers: readonly Proposer[] = keys.keys.map((key) => {
  const certificate = Uint8Array.from(Buffer.from(key.certificate, 'base64'));
  const privateKey = createPrivateKey({ key: Buffer.from(key.privateKey, 'base64'), format: 'der', type: 'pkcs8' });
  return { nodeId: nodeIdOfCertificate(certificate), certificate, sign: (message) => signStaking(privateKey, message) };
});

const realNodeId = (index: number): NodeId => (proposers[index] as Proposer).nodeId;

/** Simulations with the real X-Chain in the outer blocks of a network: unsigned ones of anyone, or signed ones of each slot's proposer. */
export function createRealWorld(loop: EventLoop, random: Random, scenario: Scenario): World {
  const isSigned = random.below(2) === 0;
  const set = new Map(scenario.weights.map((weight, index) => [realNodeId(index), weight] as const));
  const validators = isSigned ? { ...anyoneProposes, at: () => set } : anyoneProposes;
  const { txs, byName } = makeTxs(scenario);
  const disks: Disk[] = [];
  const preferences = new Map<Vm, Id>();
  const verified = new Map<Id, EngineBlock>();
  let highest = 0n;
  const clock = {
    get ms() {
      return loop.timers.now();
    },
  };
  const sample = openOuterChain(clock);
  const genesis = sample.vm.block(sample.vm.lastAccepted()) as EngineBlock;
  sample.close();

  const openChain = ({ database, index }: Disk, _isAlive: () => boolean, onAccepted: (block: EngineBlock) => void): SimulatedChain => {
    const { chain, vm } = openOuterChain(clock, {
      openDatabase: () => database,
      validators,
      proposer: proposers[index] as Proposer,
    });
    const accepting = (ids: readonly Id[], accept: () => void): void => {
      const blocks = ids.map((id) => vm.block(id) as EngineBlock);
      accept();
      for (const block of blocks) {
        if (block.height > highest) highest = block.height;
        onAccepted(block);
      }
    };
    const wrapped: Vm = {
      ...vm,
      preverify: (block) => {
        loop.markAsync();
        return vm.preverify(block);
      },
      verify: (block) => {
        vm.verify(block);
        verified.set(block.id, block);
      },
      accept: (ids) => accepting(ids, () => void vm.accept(ids)),
      setPreference: (id) => {
        preferences.set(wrapped, id);
        vm.setPreference(id);
      },
    };
    const issue = (decode: () => Tx): boolean => {
      try {
        const tx = decode();
        chain.issue(tx);
        return chain.mempool.get(tx.id) !== undefined;
      } catch {
        return false;
      }
    };
    return {
      vm: wrapped,
      pool: {
        has: (id) => chain.mempool.get(id) !== undefined,
        add: (bytes) => issue(() => parseTx(bytes)),
        items: () => chain.mempool.all(),
        count: () => chain.mempool.size().txs,
      },
      issue: (name) => {
        const tx = byName.get(name) as Tx;
        return issue(() => tx) ? { id: tx.id, bytes: tx.bytes } : undefined;
      },
      isAccepted: (name) => chain.status(byName.get(name)!.id) === 'Accepted',
    };
  };
  return {
    nodeId: realNodeId,
    newDisk: () => {
      const database = openDatabase(memoryPath, { readonly: false });
      const disk = { database: { ...database, close: () => {} }, index: scenario.byzantine + disks.length };
      disks.push({ database, index: disk.index });
      return disk;
    },
    openChain: openChain as World['openChain'],
    txs,
    genesis,
    undecided: () => {
      for (const [id, { height }] of verified) if (height < highest) verified.delete(id);
      return [...verified.keys()];
    },
    preferenceOf: (vm) => preferences.get(vm),
    /** Blocks with conflicting transactions, or other outer blocks around an undecided inner block: valid if anyone may propose, refused if not. */
    forge: (parent) => {
      const rivals = txs.filter(({ length }) => length > 1);
      if (rivals.length > 0 && random.below(2) === 0) {
        const [a, b] = random.pick(rivals).map((name) => forgeBlock(parent, byName.get(name) as Tx));
        return [a as EngineBlock, b as EngineBlock];
      }
      const sibling = [...verified.values()].find(({ parentID }) => parentID === parent.id);
      if (sibling === undefined) return undefined;
      const outer = parseOuterBlock(sibling.bytes);
      const make = (later: bigint): EngineBlock => {
        const { id, bytes } = makeUnsignedBlock({ ...outer, timestamp: outer.timestamp + later });
        return { ...sibling, id, bytes };
      };
      return [make(1n), make(2n)];
    },
    junk: () => {
      const block = verified.size === 0 ? genesis : random.pick([...verified.values()]);
      return mutate(random, block.bytes, [block.bytes, genesis.bytes]);
    },
    close: () => {
      for (const { database } of disks) database.close();
    },
  };
}

/** An unsigned block with one transaction. */
function forgeBlock(parent: EngineBlock, tx: Tx): EngineBlock {
  const outer = parent.height === 0n ? undefined : parseOuterBlock(parent.bytes);
  const inner = makeBlock({
    parentID: outer === undefined ? parent.id : parseBlock(outer.inner).id,
    height: parent.height + 1n,
    time: parent.time,
    txs: [tx],
  });
  const epoch = outer && childEpoch(outer, outer.timestamp, localOuterRules);
  const { id, bytes } = makeUnsignedBlock({ parentID: parent.id, timestamp: parent.time, pChainHeight: 0n, epoch, inner: inner.bytes });
  return { id, parentID: parent.id, height: inner.height, time: parent.time, bytes };
}

/** One transaction splits the funds; each other one spends one of its outputs, some the same one. */
function makeTxs(scenario: Scenario): { txs: string[][]; byName: Map<string, Tx> } {
  const wallet = createWallet('simulation', { keys: [ewoq] });
  const asset = wallet.chainParams.feeAsset;
  const pay = (amount: bigint) => transfer(asset, amount, ownedBy([ewoq]));
  const amount = 10_000_000n;
  const outputs = Array.from({ length: scenario.txs }, () => pay(amount));
  const split = signDraft(baseTx(wallet, { utxos: [ewoqGenesisUtxo] }, outputs));
  const parts = effectsOf(split).created.filter(({ output }) => 'amount' in output && output.amount === amount);
  const byName = new Map([['split', split]]);
  const txs = [['split']];
  for (const [index, part] of parts.entries()) {
    const rivals = scenario.rivals > 0 && index % scenario.rivals === 0 ? 2 : 1;
    const names = Array.from({ length: rivals }, (_, rival) => {
      const name = `t${index}.${rival}`;
      byName.set(name, signDraft(baseTx(wallet, { utxos: [part] }, [pay(1000n + BigInt(rival))])));
      return name;
    });
    txs.push(names);
  }
  return { txs, byName };
}
