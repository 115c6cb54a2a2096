import type { ComponentChildren } from 'preact';
import type { DevData } from '../load/load-dev.ts';
import { type ActionGroup, actionGroups } from './dev-action.ts';
import { ActionForm } from './dev-action-form.tsx';
import { type ActionName, actionNames, devActions } from './dev-actions.ts';
import { Panel } from './parts.tsx';

type GroupProps = {
  readonly group: ActionGroup;
  readonly data: DevData;
  /** What is the case now, in a few words. */
  readonly state?: ComponentChildren;
  /** Actions that have another place on the page. */
  readonly without?: readonly ActionName[];
  /** What is above the actions. */
  readonly children?: ComponentChildren;
  readonly weight?: 'answer' | 'evidence';
};

/** A group of actions: one line for each, which opens its form. One is open at a time. */
export const DevGroup = ({ group, data, state, without = [], children, weight = 'evidence' }: GroupProps) => (
  <Panel title={actionGroups[group]} weight={weight} side={state === undefined ? undefined : <span>{state}</span>}>
    {children}
    {actionNames
      .filter((name) => devActions[name].group === group && !without.includes(name))
      .map((name) => (
        <details class="action" id={name} name={`dev-${group}`} key={name}>
          <summary>
            <b>{devActions[name].title}</b> <span class="quiet">{devActions[name].about}</span>
          </summary>
          <ActionForm name={name} data={data} />
        </details>
      ))}
  </Panel>
);
