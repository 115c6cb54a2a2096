import type { EngineBlock, Vm } from '../../avm/vm.ts';
import { OuterChainError } from './fault.ts';
import type { OuterStore } from './outer-store.ts';

/**
 * Compares the last outer block with the last inner block at the start. Outer blocks above it are removed. If outer blocks are missing, the
 * chain was not built by a network: it cannot be joined. AvalancheGo: vms/proposervm/vm.go, repairAcceptedChainByHeight.
 */
export function repairOuterStore(store: Pick<OuterStore, 'last' | 'removeAbove'>, inner: Pick<Vm, 'lastAccepted' | 'block'>): void {
  const innerHeight = (inner.block(inner.lastAccepted()) as EngineBlock).height;
  const height = store.last()?.height ?? 0n;
  if (height > innerHeight) store.removeAbove(innerHeight);
  if (height < innerHeight)
    throw new OuterChainError(
      `the chain has ${innerHeight} blocks, but only ${height} of them come from a network: a chain that decided blocks alone cannot join one; use a new data directory`,
      { code: 'OUTER_MISSING', height, innerHeight },
    );
}
