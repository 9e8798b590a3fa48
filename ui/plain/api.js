// Calls of the REST face, in the name of the session whose cookie the browser holds.

export class Problem extends Error {
  constructor(status, problem) {
    super(problem.detail ?? `The server answered ${status}.`);
    this.status = status;
    this.code = problem.code ?? '';
  }
}

export async function call(method, path, body) {
  const request = { method, credentials: 'same-origin', cache: 'no-store', redirect: 'error' };
  if (body !== undefined) {
    request.headers = { 'Content-Type': 'application/json' };
    request.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, request);
  } catch {
    throw new Problem(0, { code: 'connection_failed', detail: 'The server does not answer.' });
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Problem(response.status, answer);
  return answer;
}

const operations = '/api/v1/operations';
const one = (id) => `${operations}/${encodeURIComponent(id)}`;

export const session = {
  who: () => call('GET', '/api/v1/session'),
  logIn: (code) => call('POST', '/api/v1/session', { code }),
  logOut: () => call('DELETE', '/api/v1/session'),
};

export const listOperations = (cursor) =>
  call('GET', `${operations}?limit=50${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`);
export const getOperation = (id) => call('GET', one(id));
export const retryOperation = (id, more) => call('POST', `${one(id)}/retry`, more);
export const cancelOperation = (id, rollback) => call('POST', `${one(id)}/cancel`, { rollback });
