import { useState } from 'preact/hooks';
import { useActions } from './actions.ts';
import { actionGroups } from './dev-action.ts';
import { FieldForm } from './form.tsx';
import { Panel } from './parts.tsx';

/** Calls any method of `/ext/dev` with JSON parameters. */
export function DevConsole() {
  const actions = useActions();
  const [answer, setAnswer] = useState<{ readonly text: string; readonly isError: boolean }>({ text: '', isError: false });
  const call = async (form: FormData): Promise<void> => {
    let params: object;
    try {
      params = JSON.parse(String(form.get('params')) || '{}');
    } catch {
      setAnswer({ text: 'The parameters are not JSON.', isError: true });
      return;
    }
    const { result, error } = (await actions?.dev<unknown>(String(form.get('method')), params)) ?? {};
    setAnswer({ text: JSON.stringify(error ?? result, null, 1).slice(0, 20_000), isError: error !== undefined });
  };
  return (
    <Panel title={actionGroups.calls} side={<a href="/dev/calls">Log of calls</a>}>
      <FieldForm button="Run" isPrimary onSubmit={call}>
        <label>
          Method <input name="method" class="mono" defaultValue="dev.nodeInfo" required />
        </label>
        <label class="grow">
          Parameters <input name="params" class="mono" defaultValue="{}" />
        </label>
      </FieldForm>
      <pre class={`padded console ${answer.isError ? 'bad-text' : ''}`} role="status">
        {answer.text}
      </pre>
    </Panel>
  );
}
