import { useState } from 'preact/hooks';
import { api, dataOf, onceOnly } from '../api/client.ts';
import { goTo } from '../router.ts';
import { newDraft, requestOf } from './connection-draft.ts';
import { ConnectionForm, placeAtField } from './connection-form.tsx';
import { rememberCreated } from './connection-test.tsx';

export function View() {
  const [draft, setDraft] = useState(newDraft);
  const create = async () => {
    const body = requestOf({ ...draft, required_flag: 'admin' });
    await dataOf(api.POST('/data-connections', { params: { header: onceOnly() }, body })).catch(placeAtField);
    rememberCreated(body.data_connection_id);
    // The new connection is for administrators only. The next view tests the connection and then opens it to the chosen
    // accounts.
    goTo(`/data-connections/${body.data_connection_id}?opens=${draft.required_flag}`);
  };
  return (
    <>
      <p class="lead">
        Give each connection its own prefix without objects, because users choose the names of the folders below it.
      </p>
      <p>
        At first, only administrators can use the connection. It is tested at once. After the test passes, one click
        opens it to the users that you choose here.
      </p>
      <ConnectionForm draft={draft} onChange={setDraft} submitLabel="Create connection" onSubmit={create} />
    </>
  );
}
