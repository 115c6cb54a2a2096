import type { DevAction } from './dev-action.ts';
import { chainActions } from './dev-chain-actions.ts';
import { moneyActions } from './dev-money-actions.ts';

/** The actions of the dev panel: one row for each, from which its form, its call and its sentence are made. The palette lists the same rows. */
const actions = { ...moneyActions, ...chainActions };

export type ActionName = keyof typeof actions;

export const devActions: Readonly<Record<ActionName, DevAction>> = actions;

export const actionNames = Object.keys(actions) as ActionName[];

/** The place of an action on the dev panel, which opens its form. */
export const actionHref = (name: ActionName): string => `/dev#${name}`;
