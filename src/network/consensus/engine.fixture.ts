import { createRandom } from '../../../test/random.ts';
import type { EngineBlock, Vm } from '../../avm/vm.ts';
import { type Id, idOf } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import { Fault } from '../../base/fault.ts';
import { createVirtualClock, type VirtualClock } from '../../base/timing/virtual-timing.fixture.ts';
import type { ChainMessage, RequestMessage, Transport } from '../protocol/transport.ts';

/** Parts of an engine for tests of single events: a chain of numbered blocks, a transport that records, a clock that the test moves. */

export const chainId = idOf(Uint8Array.of(1));
export const nodeId = (index: number): NodeId => index.toString(16).padStart(40, '0') as NodeId;

export const makeBlock = (parent: { id: Id; height: bigint } | undefined, label: string): EngineBlock => {
  const height = parent === undefined ? 0n : parent.height + 1n;
  const parentID = parent?.id ?? idOf(Uint8Array.of(0));
  const bytes = new TextEncoder().encode(`${parentID} ${height} ${label}`);
  return { id: idOf(bytes), parentID, height, time: 1_700_000_000n, bytes };
};
export const parseBlock = (bytes: Uint8Array): EngineBlock => {
  const [parentID, height, label] = new TextDecoder().decode(bytes).split(' ');
  if (label === undefined) throw new Fault('malformed block', { code: 'TEST_MALFORMED' });
  return { id: idOf(bytes), parentID: parentID as Id, height: BigInt(height as string), time: 1_700_000_000n, bytes };
};

export type TestVm = Vm & {
  readonly calls: string[];
  readonly accepted: EngineBlock[];
  readonly preferences: Id[];
  readonly workListeners: (() => void)[];
};

/** A Vm that accepts every block whose label does not begin with "bad". `blocks` are accepted from the start. */
export function createTestVm(blocks: readonly EngineBlock[]): TestVm {
  const accepted = [...blocks];
  const acceptedById = new Map(blocks.map((block) => [block.id, block]));
  const processing = new Map<Id, EngineBlock>();
  const calls: string[] = [];
  const preferences: Id[] = [];
  const workListeners: (() => void)[] = [];
  const find = (id: Id): EngineBlock | undefined => processing.get(id) ?? acceptedById.get(id);
  const labelOf = ({ bytes }: EngineBlock): string => new TextDecoder().decode(bytes).split(' ')[2] as string;
  const accept = (id: Id): void => {
    const block = processing.get(id) as EngineBlock;
    calls.push(`accept ${labelOf(block)}`);
    processing.delete(id);
    accepted.push(block);
    acceptedById.set(id, block);
  };
  return {
    calls,
    accepted,
    preferences,
    lastAccepted: () => (accepted.at(-1) as EngineBlock).id,
    blockIdAtHeight: (height) => accepted[Number(height)]?.id,
    build: () => undefined,
    nextBuildTime: () => 0,
    parse: parseBlock,
    block: find,
    blockBytes: (id) => find(id)?.bytes,
    preverify: async () => {},
    verify: (block) => {
      if (labelOf(block).startsWith('bad')) throw new Fault('invalid', { code: 'TEST_INVALID' });
      calls.push(`verify ${labelOf(block)}`);
      processing.set(block.id, block);
    },
    accept: (ids) => ids.forEach(accept),
    reject: (id) => {
      calls.push(`reject ${labelOf(processing.get(id) as EngineBlock)}`);
      processing.delete(id);
    },
    setPreference: (id) => void preferences.push(id),
    setBootstrapping: () => {},
    onWork: (listener) => void workListeners.push(listener),
    workListeners,
    waiting: () => 0,
  };
}

export type TestTransport = Transport & {
  readonly sent: { readonly message: ChainMessage; readonly to: readonly NodeId[] }[];
  readonly requests: { readonly message: RequestMessage; readonly to: readonly NodeId[] }[];
};

export function createTestTransport(self: NodeId): TestTransport {
  const sent: TestTransport['sent'] = [];
  const requests: TestTransport['requests'] = [];
  return {
    self,
    sent,
    requests,
    send: (message, to) => {
      sent.push({ message, to });
      return to;
    },
    request: (message, to) => {
      requests.push({ message, to });
    },
  };
}

/** Timers that run when the test advances the clock. */
export const createTestTimers = (): VirtualClock => createVirtualClock(1_700_000_000_000);

/** Lets all promises that are resolved run. */
export const flush = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Random bytes, the same in every run. */
export const seededBytes = (): ((length: number) => Uint8Array) => createRandom(1).bytes;
