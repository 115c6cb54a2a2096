import { type Address, parseShortId } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import { Fault } from '../../base/fault.ts';
import { type SelectableKind, selectableKinds } from '../contract/event-kinds.ts';
import { eventStreamRow } from '../contract/event-stream.ts';
import type { ValuesOf } from '../contract/views.ts';
import { invalidParams } from '../rest/api-error.ts';
import type { ParamContext } from '../rest/param.ts';
import { compileRouteParams } from '../rest/params.ts';
import { readParams } from '../rest/read-params.ts';
import { queryTexts } from '../rest/request-texts.ts';
import type { StreamEvent } from './stream-event.ts';

/** Which events a client gets. An undefined part allows all. */
export type Filter = {
  readonly owners: ReadonlySet<Address> | undefined;
  readonly assets: ReadonlySet<Id> | undefined;
  readonly kinds: ReadonlySet<SelectableKind> | undefined;
};

const eventParams = compileRouteParams(eventStreamRow);

/** Reads the addresses and assets of the served network. */
export type EventParamContext = ParamContext & Required<Pick<ParamContext, 'asset'>>;

/** Reads the filter and the ID to resume from. Throws an `ApiError` that names each bad parameter, also an unknown one. */
export function readEventRequest(
  query: string,
  context: EventParamContext,
): { readonly filter: Filter; readonly lastEventId: string | undefined } {
  const texts = queryTexts(query);
  const unknown = [...texts.keys()].filter((name) => !Object.hasOwn(eventParams, name));
  if (unknown.length > 0)
    throw invalidParams(
      unknown.map((name) => `${name.slice(0, 40)} is not a parameter here; known are ${Object.keys(eventParams).join(', ')}`),
    );
  const values = readParams('events', eventParams, (_, name) => texts.get(name), withShortIDs(context)).values;
  const { address, asset, kind, lastEventId } = values as ValuesOf<(typeof eventStreamRow)['params']>;
  return {
    filter: { owners: address && new Set(address.owners), assets: asset && new Set(asset), kinds: kind && new Set(kind) },
    lastEventId,
  };
}

/** Whether a client wants events of a kind. Kinds that are about the stream itself are always wanted. */
export const wantsKind = ({ kinds }: Filter, kind: StreamEvent['kind']): boolean =>
  kinds === undefined || kinds.has(kind as SelectableKind) || !selectable.has(kind);

const selectable: ReadonlySet<string> = new Set(selectableKinds);

/** Whether a transaction matches address and asset of a filter. */
export function matchesSubject({ owners, assets }: Filter, subject: NonNullable<StreamEvent['subject']>): boolean {
  return (owners === undefined || intersects(owners, subject.owners)) && (assets === undefined || intersects(assets, subject.assets));
}

function intersects<T>(wanted: ReadonlySet<T>, found: ReadonlySet<T>): boolean {
  for (const one of found) if (wanted.has(one)) return true;
  return false;
}

/** Adds spellings of addresses that the Data API does not take: CB58, and the ID of a chain before the address. */
const withShortIDs = (context: EventParamContext): EventParamContext => ({
  ...context,
  address: (text) => {
    const found = context.address(text) ?? context.address(text.slice(text.lastIndexOf('-') + 1));
    if (found !== undefined) return found;
    try {
      return { address: parseShortId(text), hrp: context.hrps[0] };
    } catch (error) {
      if (error instanceof Fault) return undefined;
      throw error;
    }
  },
});
