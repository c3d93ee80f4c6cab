import { defineLineTest } from "../../language/line-test.ts";
import { afterOf, beforeOf, insideOf, type Place, says } from "../rule.ts";
import { fullRunFollows, isDocsOnly, joined, SHIP_LINE } from "./circumstances.ts";

const OF_A_PART = defineLineTest(
  () =>
    / (?:module|code|file|function|class|helper|part|area|project|legacy|those|find|list|everything|package) (?:that be |which be )?$/,
);
export function isWithoutAct(place: Place): boolean {
  const before = beforeOf(place);
  if (/ (?:runtests|test|suite) (?:[^ ]+ )?$/.test(before)) return false;
  if (/^ (?:data|id|account|double|cache|container)/.test(afterOf(place))) return false;
  if (says(place, OF_A_PART, before) && !says(place, SHIP_LINE, before)) return false;
  if (/ (?:check|pipeline|ci) $/.test(insideOf(place)) && !says(place, SHIP_LINE, joined(place)))
    return false;
  if (isDocsOnly(place)) return false;
  if (
    /^ [^.|;]*(?:not|never|no|nobody|nothing|refuse) /.test(afterOf(place)) &&
    !/ (?:not wait|no time) /.test(afterOf(place))
  )
    return false;
  if (fullRunFollows(place) && !/ (?:merge|ship|release|deploy) /.test(before)) return false;
  return true;
}
const DOES_SOMETHING = defineLineTest(
  () =>
    / (?:skip|delete|remove|disable|drop|weaken|bypass|lose|omit|run|start|touch|fail|break|change|forget|merge|push|deploy|miss|fit|pass|know|understand|code|implement) /,
);
const UNTIL_TESTS = defineLineTest(
  () =>
    /^ (?:[^ ]+ ){0,2}?(?:until|till|before|first|fail|be red|run|data|account|later|server|after|suite|pass|red)/,
);
export function isNotWriting(place: Place): boolean {
  const inside = insideOf(place);
  const after = afterOf(place);
  if (says(place, DOES_SOMETHING, inside)) return false;
  if (
    / (?:have|see|find|exist|get) (?:[^ ]+ ){0,3}(?:test|testing) $/.test(inside) &&
    !/ (?:need|going to|want) /.test(inside) &&
    !/ have to /.test(inside)
  )
    return false;
  if (says(place, UNTIL_TESTS, after)) return false;
  if (/ (?:after|later|start with|begin with) /.test(inside)) return false;
  if (/ (?:can|could) $/.test(beforeOf(place)) && !/ (?:bother|add|write) /.test(inside)) return false;
  if (isDocsOnly(place)) return false;
  return !/ (?:who|customer|user|they|nobody) (?:[^ ]+ )?$/.test(beforeOf(place));
}
const FINDS_NONE = defineLineTest(
  () =>
    / (?:have|has|there be|find|found|with|be|see|say|says|because|module|if|since|when|print|why) (?:almost |practically |still |currently )?$/,
);
const IS_LOST = defineLineTest(
  () =>
    /^ (?:be|get|will be|was) (?:lose|lost|drop|skip|disable|delete|remove|affect|break|harm|weaken|touch)/,
);
export function isNoTest(place: Place): boolean {
  if (isDocsOnly(place)) return false;
  const before = beforeOf(place);
  if (says(place, FINDS_NONE, before) && !/ (?:ship|merge|deploy|release|so|need|commit|push) /.test(before))
    return false;
  if (
    says(place, IS_LOST, afterOf(place)) ||
    / (?:be|get) (?:skip|lost|lose|drop|disable|delete|weaken|remove|touch|break|affect|harm)/.test(
      insideOf(place),
    )
  )
    return false;
  return (
    !/^ (?:be |)(?:found|fail|failed|red|run|ran|skipped|until|before)/.test(afterOf(place)) ||
    / need /.test(insideOf(place))
  );
}
