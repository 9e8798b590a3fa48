// The page: who is logged in, which operation is open.

import { session } from './api.js';
import { Details } from './details.js';
import { byId, setText } from './dom.js';
import { EventStream } from './events.js';
import { OperationList } from './list.js';

let running = null;

// A login code leaves the address bar, and so the history, before anything else happens.
function takeLoginCode() {
  const found = /^#login=(.+)$/.exec(location.hash);
  if (!found) return '';
  history.replaceState(null, '', location.pathname);
  return found[1];
}

const operationInAddress = () => /^#operation=([0-9a-zA-Z-]{1,64})$/.exec(location.hash)?.[1] ?? '';

function openWhatIsAsked() {
  if (!running) return;
  const id = operationInAddress();
  running.list.mark(id);
  if (id && id !== running.details.id) running.details.open(id);
  if (!id) running.details.close();
}

function showLogin(problem) {
  running?.stream.close();
  running?.details.close();
  running?.list.clear();
  running = null;
  for (const part of ['overview', 'log-out']) byId(part).hidden = true;
  setText(byId('who'), '');
  setText(byId('connection'), '');
  setText(byId('login-problem'), problem);
  byId('login').hidden = false;
  byId('code').focus();
}

const connectionWords = { connecting: 'Connecting …', live: 'Live', lost: 'Connection lost. Trying again …' };

function start(who) {
  byId('login').hidden = true;
  for (const part of ['overview', 'log-out']) byId(part).hidden = false;
  setText(byId('who'), `${who.principal} (${who.role})`);
  const stream = new EventStream({
    connection: (state) => setText(byId('connection'), connectionWords[state]),
    check: () => session.who(),
    ended: () => showLogin('Your session is over. Log in again.'),
  });
  const list = new OperationList((id) => { location.hash = `operation=${id}`; });
  running = { stream, list, details: new Details(stream) };
  stream.follow('operations', {
    // What happens while the list is read is heard too, so nothing falls between.
    begun: (anew) => {
      if (!anew) return;
      list.clear();
      list.load();
    },
    events: (events) => list.heard(events),
    problem: (problem) => setText(byId('overview-problem'), problem.detail),
  });
  stream.connect();
  openWhatIsAsked();
}

async function logIn(code) {
  try {
    start(await session.logIn(code));
  } catch (problem) {
    showLogin(problem.message);
  }
}

byId('login-form').onsubmit = (event) => {
  event.preventDefault();
  const code = byId('code').value.trim().replace(/^.*#login=/, '');
  byId('code').value = '';
  logIn(code);
};

byId('log-out').onclick = async () => {
  try {
    await session.logOut();
    showLogin('');
  } catch (problem) {
    setText(byId('overview-problem'), problem.message);
  }
};

window.onhashchange = () => {
  const code = takeLoginCode();
  if (code) logIn(code);
  else openWhatIsAsked();
};

const code = takeLoginCode();
if (code) {
  logIn(code);
} else {
  session.who().then(start, (problem) => showLogin(problem.status === 401 ? '' : problem.message));
}
