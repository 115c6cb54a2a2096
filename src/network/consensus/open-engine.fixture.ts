import type { EngineBlock } from '../../avm/vm.ts';
import type { Id } from '../../base/bytes/id.ts';
import type { NodeId } from '../../base/bytes/node-id.ts';
import type { MessageOfKind } from '../messages/message.ts';
import { createConnectedValidators } from './connected-validators.ts';
import { chainId, createTestTimers, createTestTransport, createTestVm, makeBlock, nodeId, seededBytes } from './engine.fixture.ts';
import { createEngineCounters } from './engine-counters.ts';
import { defaultEngineParameters } from './engine-parameters.ts';
import { startSnowmanEngine } from './snowman-engine.ts';

export const genesis = makeBlock(undefined, 'g');
export const [self, peer, other] = [nodeId(1), nodeId(2), nodeId(3)];
/** One validator beside this node: every poll asks it, and its answers decide. */
export const parameters = { ...defaultEngineParameters, k: 2, alphaPreference: 2, alphaConfidence: 2, beta: 3, concurrentRepolls: 1 };

/** An engine with its own chain, transport and clock, and short ways to send it messages. */
export function openEngine(validators: readonly NodeId[] = [peer], blocks: readonly EngineBlock[] = [genesis], given = parameters) {
  const vm = createTestVm(blocks);
  const transport = createTestTransport(self);
  const timers = createTestTimers();
  const set = new Map(validators.map((node) => [node, 100n] as const));
  const connected = createConnectedValidators(self, { current: () => set }, seededBytes());
  for (const node of validators) connected.connected(node);
  let requestId = 0;
  const invalid: string[] = [];
  const fatal: unknown[] = [];
  const counters = createEngineCounters();
  const link = { chainId, transport, timers, randomBytes: seededBytes() };
  const engine = startSnowmanEngine(link, {
    vm,
    validators: { current: () => set },
    connected,
    nextRequestId: () => ++requestId,
    parameters: given,
    counters,
    unixMilliseconds: timers.now,
    onInvalid: (block) => void invalid.push(block?.id ?? 'none'),
    onFatal: (error) => void fatal.push(error),
  });
  const chits = (id: Id, message: { requestId: number }, from = peer, accepted = genesis): void =>
    engine.receive(from, {
      kind: 'chits',
      chainId,
      requestId: message.requestId,
      preferredId: id,
      preferredIdAtHeight: id,
      acceptedId: accepted.id,
      acceptedHeight: accepted.height,
    });
  const push = (block: EngineBlock, from = peer, requestedHeight = 1n): void =>
    engine.receive(from, { kind: 'pushQuery', chainId, requestId: 1, deadline: 1n, container: block.bytes, requestedHeight });
  const pull = (id: Id, from = peer, requestedHeight = 1n): void =>
    engine.receive(from, { kind: 'pullQuery', chainId, requestId: 1, deadline: 1n, containerId: id, requestedHeight });
  const put = (block: EngineBlock, requestId: number, from = peer): void =>
    engine.receive(from, { kind: 'put', chainId, requestId, container: block.bytes });
  const sendAncestors = (blocks: readonly EngineBlock[], requestId: number, from = peer): void =>
    engine.receive(from, { kind: 'ancestors', chainId, requestId, containers: blocks.map(({ bytes }) => bytes) });
  /** Requests of a kind since the last call. */
  const taken = new Set<unknown>();
  const take = <K extends 'get' | 'getAncestors' | 'pullQuery' | 'pushQuery'>(kind: K): MessageOfKind<K>[] => {
    const found = transport.requests.filter(({ message }) => message.kind === kind && !taken.has(message)).map(({ message }) => message);
    for (const message of found) taken.add(message);
    return found as unknown as MessageOfKind<K>[];
  };
  const sentChits = () => transport.sent.map(({ message }) => message as MessageOfKind<'chits'>).filter(({ kind }) => kind === 'chits');
  return { engine, vm, transport, timers, counters, invalid, fatal, chits, push, pull, put, sendAncestors, take, sentChits };
}
