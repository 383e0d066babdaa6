import { useState } from 'preact/hooks';
import { api, dataOf, onceOnly } from '../api/client.ts';
import { goTo } from '../router.ts';
import { newDraft, requestOf } from './connection-draft.ts';
import { ConnectionForm, placeAtField } from './connection-form.tsx';
import { rememberCreated } from './just-created.ts';

export function View() {
  const [draft, setDraft] = useState(newDraft);
  const create = async () => {
    const body = requestOf({ ...draft, required_flag: 'admin' });
    await dataOf(api.POST('/data-connections', { params: { header: onceOnly() }, body })).catch(placeAtField);
    rememberCreated(body.data_connection_id);
    // The next view tests the connection and then opens it to the chosen accounts.
    goTo(`/data-connections/${body.data_connection_id}?opens=${draft.required_flag}`);
  };
  return (
    <>
      <p class="lead">
        Give each connection a place of its own, below which there is nothing yet: people choose the names of what is
        placed there.
      </p>
      <p>
        At first it is for administrators alone. It is tested as soon as it is made; when the test passed, one click
        opens it to those whom you choose here.
      </p>
      <ConnectionForm draft={draft} onChange={setDraft} submitLabel="Make the connection" onSubmit={create} />
    </>
  );
}
