import { faultText, type OrderedFault } from '../load/dev-state.ts';
import type { DevData } from '../load/load-dev.ts';
import type { ViewProps } from '../load/page-context.ts';
import { plural } from '../text/text-format.ts';
import { useDevCall } from './actions.ts';
import { DevGroup } from './dev-group.tsx';
import { FormNote } from './form.tsx';

/** The call that ends a fault. */
const endCalls: { readonly [kind in OrderedFault['kind']]: (target: string) => readonly [method: string, params: object] } = {
  latency: (target) => ['dev.setLatency', { ms: 0, method: target || undefined }],
  failure: (target) => ['dev.failNext', { method: target, times: 0 }],
  unhealthy: (target) => ['dev.setUnhealthy', { check: target }],
};

/** Makes calls slow or fail, and health checks fail; lists what is ordered, and ends it. */
export function DevFaults({ data }: ViewProps<DevData>) {
  const { state } = data;
  const { run, note, isBusy } = useDevCall();
  return (
    <DevGroup group="faults" data={data} state={state.faults.length === 0 ? 'none' : plural(state.faults.length, 'fault')}>
      {state.faults.length > 0 && (
        <table>
          <tbody>
            {state.faults.map((fault) => (
              <tr key={`${fault.kind} ${fault.target}`}>
                <td class="breakable">{faultText(fault)}</td>
                <td class="number">
                  <button
                    type="button"
                    disabled={isBusy}
                    aria-label={`End: ${faultText(fault)}`}
                    onClick={() => void run(...endCalls[fault.kind](fault.target), () => 'The fault is over')}
                  >
                    End
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <FormNote note={note} />
    </DevGroup>
  );
}
