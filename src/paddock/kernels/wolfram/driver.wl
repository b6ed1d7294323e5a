(* The loop that a Wolfram kernel runs for Paddock: it reads requests from standard input, evaluates
   and answers on standard output. It is loaded with

       WolframKernel -noinit -noprompt -run "Get[\"driver.wl\"]; PaddockDriver`run[]"

   A request is one line, a JSON object with "id" and "do":

       hello     "mark": the word that every answer begins with; "network": whether it may be used
       evaluate  "code", "seconds", "memory", "characters"
       save      "file": the session's definitions and history are written there
       restore   "file"
       quit

   An answer is one line: the mark, a blank, and a JSON object in ASCII with the "id" of its request
   and "kind": "hello", "print", "message", "picture", "end". Each request gets one "end" ("hello" for
   hello), after everything else. Other lines on standard output come from what the code has started,
   and lines of input that are no request (the "a" that answers the interrupt menu) are passed over. *)

BeginPackage["PaddockDriver`"];

run;

Begin["`Private`"];

(* Answers *)

$mark = "";
$id = 0;

json[text_String] := StringJoin["\"", StringReplace[text, {
    "\\" -> "\\\\",
    "\"" -> "\\\"",
    character : RegularExpression["[^ -~]"] :> escaped[First[ToCharacterCode[character]]]}], "\""];
json[number_Integer] := ToString[number];
json[True] = "true";
json[False] = "false";
json[Null] = "null";
json[list_List] := StringJoin["[", Riffle[json /@ list, ","], "]"];
json[table_Association] :=
    StringJoin["{", Riffle[KeyValueMap[StringJoin[json[#1], ":", json[#2]] &, table], ","], "}"];

escaped[code_] := StringJoin["\\u", IntegerString[code, 16, 4]] /; code < 65536;
escaped[code_] := StringJoin[
    escaped[55296 + Quotient[code - 65536, 1024]],
    escaped[56320 + Mod[code - 65536, 1024]]];

(* A line is written whole, though the evaluation may be aborted meanwhile. *)
say[kind_, fields_] := With[{line = json[Join[<|"id" -> $id, "kind" -> kind|>, fields]]},
    AbortProtect[WriteLine["stdout", StringJoin[$mark, " ", line]]]];

(* Prints and messages, as they come *)

$most = 200;
$each = 3;
$longest = 100;
$isHandling = False;

shortened[text_, limit_] := text /; StringLength[text] <= limit + 5;
shortened[text_, limit_] := StringJoin[
    StringTake[text, Floor[limit/2] - 2], " ... ", StringTake[text, -(Ceiling[limit/2] - 3)]];

output[kind_, text_] := If[$count < $most,
    $count = $count + 1;
    say[kind, <|"text" -> shortened[text, $characters]|>]];

(* False, because the kernel is not to print it as well. *)
onPrint[(Hold | HoldComplete)[arguments___]] := (
    output["print", ToString[Unevaluated[SequenceForm[arguments]], PageWidth -> Infinity]];
    False);
onPrint[___] := False;

SetAttributes[{messageText, argumentText, inputText}, HoldAllComplete];

onMessage[Hold[Message[name_MessageName, arguments___], True]] := If[! $isHandling,
    Block[{$isHandling = True}, counted[messageText[name, arguments]]]];

counted[{label_, text_}] := (
    $seen[label] = Lookup[$seen, label, 0] + 1;
    If[$seen[label] <= $each, output["message", StringJoin[label, ": ", text]]];
    If[$seen[label] == $each, output["message", StringJoin[
        "General::stop: Further output of ", label, " will be suppressed during this calculation."]]]);

messageText[name : MessageName[symbol_, tag_, ___], arguments___] :=
    Module[{template = name, texts = List @@ Map[argumentText, HoldComplete[arguments]]},
        If[! StringQ[template], template = MessageName[General, tag]];
        {ToString[Unevaluated[name]],
         If[StringQ[template],
            ToString[StringForm[template, Sequence @@ texts], PageWidth -> Infinity],
            StringJoin["-- Message text not found -- ", Map[StringJoin["(", #, ")"] &, texts]]]}];

argumentText[text_String] := shortened[text, $longest];
argumentText[HoldForm[expression_]] := argumentText[expression];
argumentText[expression_] := shortened[inputText[expression], $longest];

inputText[expression_] := ToString[Unevaluated[expression], InputForm, PageWidth -> Infinity];

(* Values as text; what is to be looked at becomes a picture and leaves its head in the text *)

(* By name, because not every version has all of them. *)
$drawn = {"Graphics", "Graphics3D", "GeoGraphics", "AstroGraphics", "Image", "Image3D", "Legended",
    "Graph", "Tree"};

isDrawn[expression_] :=
    MatchQ[Head[expression], _Symbol] && MemberQ[$drawn, ToString[Head[expression]]];

hasDrawn[list_List] := Length[list] <= $most && AnyTrue[list, hasDrawn];
hasDrawn[table_Association] := Length[table] <= $most && AnyTrue[Values[table], hasDrawn];
hasDrawn[expression_] := isDrawn[expression];

draw[expression_] := Module[{text = Quiet[ExportString[expression, {"Base64", "PNG"}]]},
    If[StringQ[text],
        say["picture", <|"data" -> StringDelete[text, WhitespaceCharacter], "mime" -> "image/png"|>]];
    StringJoin["-", ToString[Head[expression]], "-"]];

valueText[form_] := ToString[form, PageWidth -> Infinity] /; MemberQ[$OutputForms, Head[form]];
valueText[expression_?isDrawn] := draw[expression];
valueText[list_List?hasDrawn] := StringJoin["{", Riffle[valueText /@ list, ", "], "}"];
valueText[table_Association?hasDrawn] := StringJoin["<|", Riffle[
    KeyValueMap[StringJoin[valueText[#1], " -> ", valueText[#2]] &, table], ", "], "|>"];
valueText[expression_] := inputText[expression];

shown[values_] := If[Length[values] === 1,
    valueText[First[values]],
    StringJoin["Sequence[", Riffle[valueText /@ values, ", "], "]"]];

(* Evaluation *)

SetAttributes[contained, HoldFirst];
contained[code_] := Module[{value = Catch[Catch[whole[code], _, thrown[#1, #2] &]]},
    Replace[value, {
        whole[values___] :> {values},
        thrown[inner_, tag_] :> uncaught[Throw[inner, tag]],
        inner_ :> uncaught[Throw[inner]]}]];
SetAttributes[uncaught, HoldFirst];
uncaught[throw_] := (Message[Throw::nocatch, HoldForm[throw]]; {Hold[throw]});

evaluated[code_, seconds_, memory_] := CheckAbort[
    TimeConstrained[
        MemoryConstrained[
            Module[{held = ToExpression[code, InputForm, HoldComplete], values},
                If[held === $Failed,
                    ended["failed", "$Failed"],
                    values = contained[ReleaseHold[held]];
                    remember[values];
                    ended["done", shortened[shown[values], $characters]]]],
            memory, ended["out-of-memory", Null]],
        seconds, ended["timed-out", Null]],
    ended["done", "$Aborted"]];

(* As the kernel's own loop does it, so that % is what came before. *)
remember[{value_}] := (
    Out[$Line] = value;
    If[$Line > $kept, Quiet[Unset[Out[$Line - $kept]]]];);
remember[_] := Null;
$kept = 100;

evaluate[request_] := Module[{begun = AbsoluteTime[], outcome},
    $count = 0;
    $seen = <||>;
    $characters = request["characters"];
    outcome = Block[{
            $Messages = Streams["stderr"],
            $Output = Streams["stderr"],
            $MessageList = {},
            $ProgressReporting = False},
        Internal`HandlerBlock[{"Message", onMessage},
            Internal`HandlerBlock[{"Wolfram.System.Print.Veto", onPrint},
                evaluated[request["code"], request["seconds"], request["memory"]]]]];
    $Line = $Line + 1;
    end[First[outcome], Last[outcome], Round[1000000 (AbsoluteTime[] - begun)]]];

end[status_, result_, microseconds_] := say["end", <|
    "status" -> status,
    "result" -> result,
    "microseconds" -> microseconds,
    "bytes" -> MaxMemoryUsed[]|>];

(* The state of a session: its contexts, and its history *)

contexts[] := Select[
    Union[{"Global`", "PaddockState`"}, Flatten[Map[
        Contexts[StringJoin[#, "*"]] &,
        Complement[Append[$ContextPath, $Context], $first]]]],
    Names[StringJoin[#, "*"]] =!= {} &];

save[request_] := (
    PaddockState`saved = {$Line, DownValues[Out], $Context, $ContextPath};
    DumpSave[request["file"], Evaluate[contexts[]]];
    end[If[FileExistsQ[request["file"]], "done", "failed"], Null, 0]);

restore[request_] := Module[{state},
    PaddockState`saved = Null;
    Quiet[Get[request["file"]]];
    state = PaddockState`saved;
    If[MatchQ[state, {_Integer, _List, _String, {___String}}],
        {$Line, DownValues[Out], $Context, $ContextPath} = state;
        end["done", Null, 0],
        end["failed", Null, 0]]];

(* The loop *)

hello[request_] := (
    $mark = request["mark"];
    If[! TrueQ[request["network"]], $AllowInternet = False];
    say["hello", <|
        "version" -> $Version,
        "number" -> ToString[$VersionNumber],
        "system" -> $SystemID,
        "process" -> $ProcessID|>]);

handle[request_] := Switch[request["do"],
    "hello", hello[request],
    "evaluate", evaluate[request],
    "save", save[request],
    "restore", restore[request],
    "quit", Quit[],
    _, end["failed", Null, 0]];

step[line_String] := Module[{request = Quiet[Developer`ReadRawJSONString[line]]},
    If[AssociationQ[request], $id = request["id"]; CheckAbort[handle[request], Null]]];
step[_] := Quit[];

PaddockDriver`run[] := (
    Off[General::stop];
    Unprotect[Out];
    $first = Union[$ContextPath, {"System`", "Global`"}];
    $Line = 1;
    While[True, CheckAbort[step[InputString[""]], Null]]);

End[];
EndPackage[];

(* Names of the code that is evaluated must not lead here. *)
$ContextPath = DeleteCases[$ContextPath, "PaddockDriver`"];
