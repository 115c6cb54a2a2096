import { faultText, type OrderedFault } from '../load/dev-state.ts';
import type { DevData } from '../load/load-dev.ts';
import type { ViewProps } from '../load/page-context.ts';
import { plural } from '../text/text-format.ts';
import { useDevCall } from './actions.ts';
import { FieldForm, FormNote } from './form.tsx';
import { Panel } from './parts.tsx';

/** The call that ends a fault. */
const endCalls: { readonly [kind in OrderedFault['kind']]: (target: string) => readonly [method: string, params: object] } = {
  latency: (target) => ['dev.setLatency', { ms: 0, method: target || undefined }],
  failure: (target) => ['dev.failNext', { method: target, times: 0 }],
  unhealthy: (target) => ['dev.setUnhealthy', { check: target }],
};

/** Makes calls slow or fail, and health checks fail; lists what is ordered, and ends it. */
export function DevFaults({ data: { state } }: ViewProps<DevData>) {
  const { run, note, isBusy } = useDevCall();
  return (
    <Panel title="Faults" side={<span>{state.faults.length === 0 ? 'none' : plural(state.faults.length, 'fault')}</span>}>
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
      <FieldForm
        button="Delay"
        isBusy={isBusy}
        class="row padded spaced"
        onSubmit={(form) => {
          const method = String(form.get('method')).trim();
          return run('dev.setLatency', { ms: Number(form.get('ms')), method: method || undefined }, () => 'Calls are slower now');
        }}
      >
        <label>
          Delay, ms <input name="ms" type="number" min={0} max={20_000} required defaultValue="500" />
        </label>
        <label class="grow">
          Of method <input name="method" class="mono" placeholder="all methods" />
        </label>
      </FieldForm>
      <FieldForm
        button="Fail next"
        isBusy={isBusy}
        onSubmit={(form) => {
          const error = String(form.get('error')).trim();
          const params = { method: form.get('method'), times: Number(form.get('times')), error: error || undefined };
          return run('dev.failNext', params, () => 'The next calls will fail');
        }}
      >
        <label class="grow">
          Method <input name="method" class="mono" required defaultValue="avm.issueTx" />
        </label>
        <label>
          Times <input name="times" type="number" min={1} max={1_000_000} required defaultValue="1" />
        </label>
        <label class="grow">
          Error <input name="error" placeholder="its own words" maxLength={1000} />
        </label>
      </FieldForm>
      <FieldForm
        button="Make unhealthy"
        isBusy={isBusy}
        onSubmit={(form) =>
          run('dev.setUnhealthy', { check: form.get('check'), message: form.get('message') }, () => 'The health check fails now')
        }
      >
        <label>
          Health check <input name="check" class="mono" required defaultValue="X" size={8} />
        </label>
        <label class="grow">
          Message <input name="message" required defaultValue="ordered by a developer" />
        </label>
      </FieldForm>
      <FormNote note={note} />
    </Panel>
  );
}
