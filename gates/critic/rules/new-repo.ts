import { passesIn } from "../language/frame.ts";
import { defineLineTest } from "../language/line-test.ts";
import {
  type Doc,
  beforeOf,
  afterOf,
  allLines,
  type Finding,
  insideOf,
  linesBefore,
  type Place,
  defineFrames,
  runFrames,
  restOf,
  untilOf,
  says,
} from "./rule.ts";

/** A noun after it that makes "repository" or "service" a part of a program or something else altogether. */
const OTHER_HEAD = defineLineTest(
  () =>
    /^ (?:(?:for [^ ]+ )?(?:class|classes|interface|type|types|object|objects|method|pattern|layer|factory|button|dialog|entry|page|row|row|level|worker|account|provider|term|terms|name|names|fee|desk|area|areas|container in|containers? for the tests|token|module|file|function|mock|stub|test|tests|container to|menu|field|form|column|table|option|label|bulletin|hours|catalog|catalogue|definition|manifest|contract|agreement|tag|icon|list|request|response|url|settings?|key|keys|description|port|rule|handler|action|endpoint|hook|hooks|variable|branch|issue|folder|directory|script|tests|component|screen|tab|view|template)) /,
);
const OTHER_KIND = defineLineTest(
  () =>
    / (?:angular|kubernetes|k8s|ember|symfony|laravel|domain|mock|fake|fixture|customer|church|hair|salon|cleaning|room|delivery|web|temp|temporary|throwaway|dummy|in-memory|windows|existing|current|same|test|tests|cart|workspace|feature|sub|worktree|user|order|invoice|git worktree|class|interface) $/,
);
const FIXTURE = defineLineTest(
  () => / (?:fixture|fixtures|throwaway|temp|temporary|tmp|mkdtemp|beforeeach|sandbox|test|tests) /,
);
const IN_EXISTING = defineLineTest(
  () =>
    /^ (?:[^ ,;]+ ){0,6}?(?:in|to|into|of|within|under|inside) (?:the |our |this |an )?(?:existing|current|same|one|this|monorepo|monolith|workspace|database|seed|docker-compose|compose|ci|workflow|dropdown|footer|provided|providedin|domain)/,
);
const CI_ONLY = defineLineTest(
  () => / (?:for|in) (?:the |our )?(?:[^ ]+ ){0,3}(?:test|testing|suite|ci|workflow|integration) /,
);

const COPY_OF = defineLineTest(
  () =>
    / (?:clone|worktree|branch|copy|checkout|mirror|backup|file|class|entry|spec|page|stub|mock|issue|ticket) (?:of |in |for |on )/,
);
const isRealThing = (place: Place): boolean => {
  const before = beforeOf(place);
  const after = afterOf(place);
  const inside = insideOf(place);
  if (
    says(place, OTHER_HEAD, after) &&
    !(/ (?:lambda|azure|cloud) $/.test(inside) && / function /.test(after.slice(0, 10)))
  )
    return false;
  if (says(place, OTHER_KIND, inside.replace(/[^ ]+ $/, ""))) return false;
  if (says(place, IN_EXISTING, after) && !/ (?:next to|beside|outside|instead|front of) /.test(after))
    return false;
  if (/ (?:existing|workspace|replica|replicas|instance of the|region) /.test(inside)) return false;
  if (/ (?:container|instance|server) $/.test(inside) && says(place, CI_ONLY, after)) return false;
  if (says(place, COPY_OF, `${before.slice(-30)}${inside}`)) return false;
  return !(
    says(place, FIXTURE, `${before}${inside}`) &&
    / (?:fixture|throwaway|temp|temporary|tmp|test|tests) /.test(`${before}${inside}${after.slice(0, 60)}`) &&
    !/ (?:real|no) /.test(`${inside}${after}`)
  );
};

const NOT_FOR_REAL = defineLineTest(
  () =>
    / (?:fixture|throwaway|temp|temporary|tmp|mkdtemp|testfile|tell|document|documented|guide|calls?|readme|dry run|step \d of|beforeeach|wiki) /,
);
const isRealCommand = (place: Place): boolean => {
  const around = `${beforeOf(place)}${afterOf(place)}`;
  return !says(place, NOT_FOR_REAL, around) || / cp | push /.test(around);
};

const DET = "(a|an|the|my|our|your|its|their|one|yet|some|this|that|two|three|several|more|new|another)";
const isUnlikeExisting = (place: Place): boolean =>
  isRealThing(place) &&
  !/ (?:this|same|existing|current|one) (?:<repo>|repo|codebase|monorepo|project|app|service|stack) /.test(
    restOf(place),
  ) &&
  !/ (?:existing|rename|restart|scale|redeploy) /.test(` ${beforeOf(place)}${insideOf(place)}`);

const TAKES_APART = defineLineTest(
  () =>
    / (?:extract|pull|move|split|break|carve|separate|peel|hive|spin|go|put|run|deploy|live|turn|become|lift|convert|isolate|factor|need|want|create|build|make|introduce|rip|take|get|belong|goes) /,
);
const MAKES = defineLineTest(
  () =>
    / (?:create|spin_up|set_up|stand_up|bootstrap|scaffold|start|launch|introduce|build|write|develop|deploy|need|make|want|run|put|go|proposal|plan|add|generate) /,
);
const OF_ITS_OWN = defineLineTest(
  () =>
    / (?:separate|own|new|two|three|several|independent|different|multiple|microservice|lambda|daemon|lambdas|its|their|individual|small|smaller|second|another|\d) /,
);
const FRAMES = defineFrames(
  "R1",
  { name: "a command that creates a repository or project", pattern: "REPOCREATE", when: isRealCommand },
  {
    name: "create a repository",
    pattern: `((create|make|set_up|init|initialise|initialize|bootstrap|spin_up|found|establish|generate|provision|scaffold|stand_up) (up)? ${DET}|(open|start|launch|publish|add|need|want|register|get|begin|have) (up)? (a|an|one|another|my own|our own)) ^4 <repo>`,
    when: isRealThing,
  },
  { name: "create a repository", pattern: "<create> ^3 <newness> ^4 (<repo>|project)", when: isRealThing },
  {
    name: "a new repository",
    pattern:
      "(new|separate|own|second|fresh|blank|empty|greenfield|dedicated|standalone|independent|another) ^1 <repo>",
    when: (p) =>
      isUnlikeExisting(p) &&
      !/ (?:delete|restart|read|search|fix|archive|unused|clone|who|link|button|for the label|explain) /.test(
        beforeOf(p),
      ),
  },
  {
    name: "a project or account on the forge",
    pattern:
      "<create> ^3 (gitlab|github|bitbucket|gitea|codeberg|azure) ^2 (project|organisation|organization)",
    when: isRealThing,
  },
  {
    name: "a repository on a forge",
    pattern:
      "(create|make|open|start|set_up|init|publish) (a|the)? (github.com/\\S+|gitlab.com/\\S+|bitbucket.org/\\S+)",
  },
  { name: "a new service", pattern: "<create> ^4 <newness> ^4 <service>", when: isRealThing },
  {
    name: "a new service",
    pattern: "(as|with|into|to|be|have|get|own|own|its|in) ^2 <newness> ^3 <service>",
    when: (p) =>
      isUnlikeExisting(p) && !/ (?:existing|same) /.test(insideOf(p)) && says(p, TAKES_APART, untilOf(p)),
  },
  {
    name: "a microservice or daemon",
    pattern: `(<create>|as|into|to|for|introduce) ^1 ${DET} ^4 <strongservice>`,
    when: isRealThing,
  },
  {
    name: "a microservice or daemon",
    pattern: "(new|separate|small|tiny|second|another|standalone|dedicated|own) ^3 <strongservice>",
    when: isUnlikeExisting,
  },
  {
    name: "a small service beside the product",
    pattern:
      "(create|make|spin_up|set_up|stand_up|bootstrap|scaffold|start|launch|introduce|build|write|develop|fire_up|bring_up|deploy|provision|generate) (a|an|one) ^5 (service|server|backend|microservice|daemon|deployable|lambda|sidecar|gateway|vm)",
    when: (p) => isRealThing(p) && !/ (?:class|spec|test|devserver) /.test(afterOf(p).slice(0, 30)),
  },
  {
    name: "a small service beside the product",
    pattern:
      "(a|an|one) (small|tiny|little|separate|standalone|dedicated|new|extra|own|more|simple|lightweight) ^3 (service|server|backend|daemon|microservice|lambda|app|sidecar|gateway)",
    when: (p) => isUnlikeExisting(p) && says(p, MAKES, beforeOf(p)),
  },
  {
    name: "a thing with a deployment of its own",
    pattern:
      "<separate> *10 (its|their|an|a|his|the)? (own|independent|separate|standalone|dedicated|second|new|different|another) ^3 (<repo>|service|microservice|process|server|backend|deployment|deployable|app|lambda|stack|project|daemon|package.json|application)",
    when: isUnlikeExisting,
  },
  {
    name: "a thing of its own",
    pattern:
      "(<repo>|project|service|server|backend|process|lambda|stack|sidecar|app|application|daemon|vm) (of|on) (its|their|his) own",
    when: (p) => !/ (?:existing|run) /.test(insideOf(p)) && !/ thought about /.test(beforeOf(p)),
  },
  {
    name: "taken apart into repositories or services",
    pattern:
      "<separate> *10 (into|in|as|to|out) *4 (services|microservice|microservices|lambda|lambdas|repo|repositories|repos|codebase|daemon|service|deployables)",
    when: (p) => says(p, OF_ITS_OWN, insideOf(p)) && isUnlikeExisting(p),
  },
  {
    name: "deployed by itself",
    pattern:
      "(deploy|run|release|ship|host|live|operate|deployed) ^2 (separately|independently|apart|standalone|by itself|on its own|by their own|as its own ^2 (app|service|stack|container|deployment|process)|as own ^2 (app|service|stack|container|deployment))",
    when: (p) => !/ (?:existing|tests?|suite) /.test(untilOf(p)),
  },
  {
    name: "its own deployment",
    pattern:
      "(its|their|with|separate|own|get) ^1 (own|separate)? (wrangler|deploy|deployment|deployable|container|vm|pipeline|instance|host) (deploy|deployment|pipeline|behind|and)",
    when: (p) => / (?:separate|own|its|new) /.test(insideOf(p)) && isUnlikeExisting(p),
  },
  {
    name: "a hosted function or machine",
    pattern:
      "(<create>) ~3 (azure function|azure functions|function app|cloud function|cloud run|ec2|droplet|heroku|vercel|netlify|fly app|cloudflare worker|worker project|lambda) ~2 (app|box|instance|project|machine|site|service|function|stack|vm)?",
    when: (p) => isRealThing(p) && !/ (?:existing|at the new|point) /.test(p.sentence.line),
  },
  {
    name: "starting over",
    pattern: "start_over *4 (in|with|from|on|at) *4",
    when: (p) => !/ (?:test|branch|commit|worktree) /.test(insideOf(p)),
  },
  {
    name: "a service of its own",
    pattern:
      "(better|rather|prefer|want|need|go for) ~2 (own|separate|dedicated|standalone) ^1 (service|microservice|server|backend|app)",
    when: isUnlikeExisting,
  },
  {
    name: "one more deployable",
    pattern:
      "(one more|another|an extra|an additional|a second|a separate|a new) ~3 (lambda|microservice|service|daemon|server|backend|stack|deployable|worker process)",
    when: (p) =>
      isUnlikeExisting(p) &&
      (/ (?:own|stack|deploy|separate|will|network|between|call|run) /.test(restOf(p)) ||
        / (?:create|make|add|build|deploy|set_up|introduce|need|have) /.test(beforeOf(p))),
  },
  {
    name: "a new one",
    pattern:
      "(make|create|start|build|open|set_up|spin_up|begin|use|go with|get) (a|an|another) ^2 (new|fresh|separate|second|clean|own|blank|real)? one",
    when: (p) =>
      / (?:repo|codebase|service|microservice|server|project|backend) /.test(
        `${beforeOf(p)}${linesBefore(p)}`.slice(-160),
      ) && / (?:new|fresh|separate|second|another|clean|own|real) /.test(insideOf(p)),
  },
  {
    name: "a named repository",
    pattern: "(create|open|make|start|set_up|init|found) (the|a|an)? [\\w.-]+/[\\w.-]+",
    when: (p) =>
      / (?:repo|codebase|github|gitlab) /.test(`${linesBefore(p)}${beforeOf(p)}${afterOf(p)}`) &&
      !/\.\w+ $/.test(insideOf(p)),
  },
  {
    name: "starting over",
    pattern:
      "(<restart>|go|build|write) *6 (in|into|with|on|from) *3 (new|clean|empty|blank|fresh|greenfield|separate|another) ^2 (<repo>|project|slate|directory|folder|workspace|tree|app|sheet)",
    when: (p) => !/ (?:clone|worktree|checkout) /.test(insideOf(p)),
  },
  { name: "starting over", pattern: "greenfield ^3 (rewrite|rebuild|project|repo|codebase|start)" },
  {
    name: "in a project of its own",
    pattern:
      "(put|move|have|place|extract|get|live|build|lives|start|spawn|create|bootstrap|scaffold|generate) *6 (own|separate|new|standalone|independent|second|another) ^2 (project|codebase|repo|app|package.json)",
    when: (p) =>
      isUnlikeExisting(p) && !/ (?:workspace|monorepo|database|seed|demo|board|kanban|jira) /.test(restOf(p)),
  },
);

const WORKSPACE = defineLineTest(() => / (?:workspace package|worktree) /);

export const findNewRepo = (doc: Doc): Finding[] => {
  const found = runFrames(doc, FRAMES);
  if (!passesIn(WORKSPACE, allLines(doc), doc.sentences)) return found;
  return found.map((finding) =>
    finding.excuse === undefined &&
    !/REPOCREATE/.test(finding.frame) &&
    / monorepo /.test(allLines(doc)) &&
    !/ (?:out|split|separate|new repo) /.test(allLines(doc))
      ? { ...finding, excuse: "means something else here" }
      : finding,
  );
};
