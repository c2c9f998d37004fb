package hermod

import (
	"bytes"
	"encoding/json"
)

// Opt is a field that may be left out. Its zero value is left out, which keeps what the service has.
type Opt[T any] struct {
	value *T
	isSet bool
}

// Set gives a field its value.
func Set[T any](value T) Opt[T] { return Opt[T]{value: &value, isSet: true} }

// Null sends null, which sets a field back to its default.
func Null[T any]() Opt[T] { return Opt[T]{isSet: true} }

// Get returns the value. It is false if the field is left out or null.
func (o Opt[T]) Get() (value T, ok bool) {
	if o.value == nil {
		return value, false
	}
	return *o.value, true
}

// IsZero reports whether the field is left out.
func (o Opt[T]) IsZero() bool { return !o.isSet }

func (o Opt[T]) MarshalJSON() ([]byte, error) { return encode(o.value) }

func (o *Opt[T]) UnmarshalJSON(text []byte) error {
	o.isSet = true
	return json.Unmarshal(text, &o.value)
}

// encode writes JSON without escaping <, > and &.
func encode(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}
