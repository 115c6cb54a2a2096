import type { EngineBlock, Vm } from '../../avm/vm.ts';
import { every } from '../../base/timing/timers.ts';
import type { ChainLink } from '../protocol/transport.ts';
import type { Validators } from '../protocol/validators.ts';
import { createBlockIntake } from './block-intake.ts';
import { consensusBlock, createBlockIssuer } from './block-issuer.ts';
import { type BlockSource, createBlockRequester } from './block-requests.ts';
import { createBuildSchedule } from './build-schedule.ts';
import type { ConnectedValidators } from './connected-validators.ts';
import type { EngineCounters } from './counters.ts';
import { createEngineMessages, type EngineMessages } from './engine-messages.ts';
import type { EngineParameters } from './engine-parameters.ts';
import type { EngineState } from './engine-state.ts';
import { createEngineTables } from './engine-tables.ts';
import { createMailbox } from './mailbox.ts';
import { createQuerySender } from './query-sender.ts';
import { createVoteIntake } from './vote-intake.ts';

/**
 * The engine of a chain in normal operation: it answers queries, polls validators about the blocks it knows, and accepts and rejects them by
 * the results. Events are processed one after the other; queries are answered ahead of them. AvalancheGo: snow/engine/snowman/engine.go.
 */
export type SnowmanEngine = Omit<EngineMessages, 'close'> & {
  readonly state: () => EngineState;
  readonly stop: () => void;
  /** Stops and rejects all processing blocks, which puts their transactions back into the pool. Resolves when nothing is being stored. */
  readonly stopAndReject: () => Promise<void>;
};

type EngineParts = ChainLink & {
  readonly vm: Vm;
  readonly validators: Pick<Validators, 'current'>;
  readonly connected: ConnectedValidators;
  readonly nextRequestId: () => number;
  readonly parameters: EngineParameters;
  readonly counters: EngineCounters;
  /** A block was refused, or could not be built. */
  readonly onInvalid: (block: EngineBlock | undefined, error: unknown) => void;
  /** A decided block could not be executed; the engine has stopped. */
  readonly onFatal: (error: unknown) => void;
};

export function startSnowmanEngine(parts: EngineParts): SnowmanEngine {
  const { vm, transport, validators, timers, parameters, counters } = parts;
  const tables = createEngineTables(parts);
  const { consensus, decisions, polls, pollTimes, requests } = tables;
  const mailbox = createMailbox(timers, parts.onFatal);
  const queries = createQuerySender({ ...parts, consensus, polls, onOpened: pollTimes.opened });
  let isRepollDue = false;

  const settled = (work: () => void) => () => {
    work();
    return settle();
  };
  const post = (work: () => void): void => mailbox.post(settled(work));
  const postLast = (work: () => void): void => mailbox.postLast(settled(work));

  const issuer = createBlockIssuer({
    ...tables,
    vm,
    post,
    requestBlock: createBlockRequester(parts, requests),
    onVerified: (block, isBuilt, source, node) => {
      consensus.add(consensusBlock(block));
      decisions.add(block);
      countIssued(counters, block, source, validators.current().get(node) ?? 0n);
      if (isBuilt) schedule.issued();
      vm.setPreference(consensus.preference());
      if (consensus.isPreferred(block.id)) queries.poll(block.id, isBuilt ? block.bytes : undefined);
      isRepollDue = true;
    },
    onInvalid: parts.onInvalid,
    onBuiltDropped: ({ id }, wasVerified) => schedule.dropped(id, wasVerified),
  });
  const schedule = createBuildSchedule({
    vm,
    timers,
    post,
    hasRoom: () => consensus.processingCount() < parameters.optimalProcessing,
    counters,
    issue: (block) => issuer.issueBuilt(transport.self, block),
    onError: (error) => parts.onInvalid(undefined, error),
  });

  const votes = createVoteIntake({ ...tables, issuer, counters });
  const blocks = createBlockIntake({ ...tables, vm, issuer, counters });

  /** Applies finished polls and executes their decisions; then polls again and builds, if there is reason to. */
  const settle = (): void | Promise<void> => {
    const results = votes.takeFinished();
    const isDone = decisions.record(results);
    return isDone === undefined ? afterDecisions(results.length) : isDone.then(() => afterDecisions(results.length));
  };
  const afterDecisions = (results: number): void => {
    if (results > 0) vm.setPreference(consensus.preference());
    if ((results > 0 || isRepollDue) && consensus.processingCount() > 0) queries.repoll();
    isRepollDue = false;
    schedule.wake();
  };

  const queue = { post, postLast, postAlone: mailbox.post, isIdle: mailbox.isIdle };
  const messages = createEngineMessages({ ...parts, ...tables, issuer, blocks, votes, queue });
  const stopFrontierPoll = every(timers, parameters.frontierPollInterval, () =>
    post(() => {
      if (consensus.processingCount() > 0) isRepollDue = true;
      else queries.askFrontier();
    }),
  );
  const stop = (): void => {
    stopFrontierPoll();
    schedule.stop();
    mailbox.close();
    messages.close();
    vm.onWork(() => {});
  };
  vm.setPreference(decisions.stored().id);
  vm.onWork(() => post(() => {}));
  post(() => {});

  return {
    receive: messages.receive,
    failed: messages.failed,
    state: () => ({ ...tables.report(), pendingBlocks: issuer.pendingCount() }),
    stop,
    stopAndReject: () =>
      new Promise((resolve) =>
        mailbox.post(() => {
          for (const { id } of decisions.highestFirst()) vm.reject(id);
          stop();
          resolve();
        }),
      ),
  };
}

function countIssued(counters: EngineCounters, { height }: EngineBlock, source: BlockSource, stake: bigint): void {
  counters.issued[source]++;
  counters.issuerStake += Number(stake);
  if (height > counters.maxVerifiedHeight) counters.maxVerifiedHeight = height;
}
