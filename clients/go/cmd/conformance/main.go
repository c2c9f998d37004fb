// Command conformance runs the cases of conformance/cases.json, and prints what came of each step.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	"hermod"
)

type testCase struct {
	Name, URL, Key string
	Client         struct {
		Account    string
		MaxRetries *int
		TimeoutMs  int64
	}
	Steps []map[string]json.RawMessage
}

type step struct {
	Call, Each, Follow, Receive, Key, Save, Fail string
	IDs                                          []string `json:"ids"`
	Input                                        json.RawMessage
	Raw                                          map[string]string
	Take                                         int
	Limit                                        int64
	Waits                                        bool
	Verify                                       *struct {
		Body    string
		Headers map[string]string
		Secrets []string
	}
}

func main() {
	var cases []testCase
	check(json.NewDecoder(os.Stdin).Decode(&cases))
	for _, each := range cases {
		fmt.Println(text(map[string]any{"name": each.Name, "outcomes": run(each)}))
	}
}

func run(each testCase) []map[string]any {
	config := hermod.Config{URL: each.URL, Key: each.Key, Account: each.Client.Account, Timeout: time.Duration(each.Client.TimeoutMs) * time.Millisecond}
	if most := each.Client.MaxRetries; most != nil {
		config.MaxRetries = *most
		if *most == 0 {
			config.MaxRetries = -1
		}
	}
	client, err := hermod.New(config)
	check(err)
	saved := map[string]any{}
	outcomes := []map[string]any{}
	for _, given := range each.Steps {
		delete(given, "expect")
		var s step
		check(json.Unmarshal([]byte(text(resolved(decoded([]byte(text(given))), saved))), &s))
		value, err := carryOut(client, s)
		if err != nil {
			outcomes = append(outcomes, map[string]any{"error": failureOf(err)})
			continue
		}
		saved[s.Save] = decoded([]byte(text(value)))
		outcomes = append(outcomes, map[string]any{"value": value})
	}
	return outcomes
}

func carryOut(client *hermod.Client, s step) (any, error) {
	ctx := context.Background()
	switch {
	case s.Call != "":
		results := call(ctx, client, s.Call, s)
		err, _ := results[1].Interface().(error)
		return results[0].Interface(), err
	case s.Each != "":
		next, stop := iter.Pull2(pairs(call(ctx, client, s.Each, s)[0]))
		defer stop()
		return taken(next, s.Take)
	case s.Follow != "":
		next, stop := iter.Pull2(pairs(reflect.ValueOf(client.Webhooks.Follow(ctx, hermod.FollowQuery{Start: hermod.Set(s.Follow)}))))
		defer stop()
		return taken(next, s.Take)
	case s.Receive != "":
		return received(client.Receive(ctx, s.Receive, hermod.PullOptions{Limit: s.Limit, UntilEmpty: !s.Waits}), s)
	}
	header := http.Header{}
	for name, value := range s.Verify.Headers {
		header.Set(name, value)
	}
	return hermod.Verify([]byte(s.Verify.Body), header, s.Verify.Secrets...)
}

func received(webhooks iter.Seq2[*hermod.PulledWebhook, error], s step) (any, error) {
	found := []map[string]any{}
	for webhook, err := range webhooks {
		if err != nil {
			return nil, err
		}
		if s.Fail != "" {
			webhook.Fail(errors.New(s.Fail), 0)
		}
		found = append(found, map[string]any{"sequence": webhook.Sequence, "data": webhook.Data, "attempt": webhook.Attempt})
		if len(found) == s.Take {
			break
		}
	}
	return found, nil
}

// call calls a method by its name: context, ids, the input and the options.
func call(ctx context.Context, client *hermod.Client, name string, s step) []reflect.Value {
	holder := reflect.ValueOf(client)
	parts := strings.Split(name, ".")
	for _, part := range parts[:len(parts)-1] {
		holder = holder.Elem().FieldByName(upper(part))
	}
	method := holder.MethodByName(upper(parts[len(parts)-1]))
	arguments := []reflect.Value{reflect.ValueOf(ctx)}
	for _, id := range s.IDs {
		arguments = append(arguments, reflect.ValueOf(id))
	}
	if n := len(arguments); n < method.Type().NumIn() && method.Type().In(n).Kind() == reflect.Struct {
		input := reflect.New(method.Type().In(n))
		decodeInto(input, s)
		arguments = append(arguments, input.Elem())
	}
	if s.Key != "" {
		arguments = append(arguments, reflect.ValueOf(hermod.IdempotencyKey(s.Key)))
	}
	return method.Call(arguments)
}

func decodeInto(input reflect.Value, s step) {
	if s.Input == nil {
		return
	}
	decoder := json.NewDecoder(bytes.NewReader(s.Input))
	decoder.UseNumber()
	check(decoder.Decode(input.Interface()))
	for name, raw := range s.Raw {
		input.Elem().FieldByName(upper(name)).Set(reflect.ValueOf(json.RawMessage(raw)))
	}
}

func pairs(sequence reflect.Value) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		for item, err := range sequence.Seq2() {
			failure, _ := err.Interface().(error)
			if !yield(item.Interface(), failure) {
				return
			}
		}
	}
}

func taken(next func() (any, error, bool), most int) (any, error) {
	found := []any{}
	for most == 0 || len(found) < most {
		item, err, ok := next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		found = append(found, item)
	}
	return found, nil
}

func failureOf(err error) map[string]any {
	var refusal *hermod.Error
	var unreachable *hermod.UnreachableError
	var argument *hermod.ArgumentError
	var verification *hermod.VerificationError
	switch {
	case errors.As(err, &refusal):
		failure := map[string]any{"kind": "refused", "status": refusal.Status, "code": nil, "hasRequestId": refusal.RequestID != ""}
		if refusal.Code != "" {
			failure["code"] = refusal.Code
		}
		if refusal.RetryAfter != nil {
			failure["retryAfter"] = refusal.RetryAfter.Seconds()
		}
		return failure
	case errors.As(err, &unreachable):
		return map[string]any{"kind": "unreachable"}
	case errors.As(err, &argument):
		return map[string]any{"kind": "argument"}
	case errors.As(err, &verification):
		return map[string]any{"kind": "verification"}
	}
	return map[string]any{"kind": "broken", "message": err.Error()}
}

// resolved replaces $name.field by what an earlier step has saved.
func resolved(value any, saved map[string]any) any {
	switch value := value.(type) {
	case string:
		if !strings.HasPrefix(value, "$") {
			return value
		}
		var found any = saved
		for _, part := range strings.Split(value[1:], ".") {
			switch holder := found.(type) {
			case map[string]any:
				found = holder[part]
			case []any:
				at, _ := strconv.Atoi(part)
				found = holder[at]
			}
		}
		return found
	case map[string]any:
		for name, inner := range value {
			value[name] = resolved(inner, saved)
		}
	case []any:
		for i, inner := range value {
			value[i] = resolved(inner, saved)
		}
	}
	return value
}

func decoded(text []byte) (value any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	check(decoder.Decode(&value))
	return value
}

func text(value any) string {
	written, err := json.Marshal(value)
	check(err)
	return string(written)
}

func upper(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

func check(err error) {
	if err != nil {
		panic(err)
	}
}
